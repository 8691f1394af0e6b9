//! Converts pages with the crate txtfp; the same arguments and output as bench/convert.cpp.

use std::hint::black_box;
use std::io::{Read, Write};

use cpu_time::ThreadTime;
use txtfp::markup::{MarkdownOptions, html_to_text, markdown_to_text_with};

/// None if the crate panics or fails.
fn convert(kind: &str, page: &str) -> Option<String> {
	let flag = |i: usize| kind.as_bytes().get(8 + i).is_none_or(|&digit| digit == b'1');
	std::panic::catch_unwind(|| {
		if kind == "html" {
			return html_to_text(page);
		}
		let mut options = MarkdownOptions::default();
		options.include_code_blocks = flag(0);
		options.include_inline_code = flag(1);
		options.break_to_space = flag(2);
		markdown_to_text_with(page, options)
	})
	.ok()?
	.ok()
}

fn main() {
	let arguments: Vec<String> = std::env::args().collect();
	std::panic::set_hook(Box::new(|_| {}));
	let kind = arguments[1].as_str();
	if let [_, _, file, seconds] = &arguments[..] {
		let page = std::fs::read_to_string(file).expect("UTF-8");
		let limit: f64 = seconds.parse().expect("seconds");
		let batch = |calls: u32| {
			let start = ThreadTime::now();
			for _ in 0..calls {
				black_box(convert(kind, &page));
			}
			start.elapsed().as_secs_f64()
		};
		let mut calls = 1; // until reading the clock takes no time in comparison; this also warms the caches
		while batch(calls) < 1e-3 {
			calls *= 2;
		}
		let mut times = Vec::new();
		let began = ThreadTime::now();
		while times.len() < 3 || began.elapsed().as_secs_f64() < limit {
			times.push(batch(calls) / f64::from(calls));
		}
		times.sort_by(f64::total_cmp);
		println!("{:.9}", times[times.len() / 2]);
		return;
	}
	let mut input = Vec::new();
	std::io::stdin().read_to_end(&mut input).expect("standard input");
	let mut out = std::io::BufWriter::new(std::io::stdout().lock());
	let mut rest = &input[..];
	while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
		let size: usize = std::str::from_utf8(&rest[..end]).unwrap().parse().expect("the size of a page");
		let page = std::str::from_utf8(&rest[end + 1..end + 1 + size]).expect("UTF-8");
		let text = convert(kind, page);
		writeln!(out, "{}", text.as_ref().map_or(-1, |text| text.len() as i64)).unwrap();
		out.write_all(text.unwrap_or_default().as_bytes()).unwrap();
		rest = &rest[end + 1 + size..];
	}
}
