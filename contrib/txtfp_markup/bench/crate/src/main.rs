//! Converts pages with the crate txtfp; the same arguments and output as bench/convert.cpp.

use std::hint::black_box;
use std::io::{Read, Write};

use txtfp::markup::{MarkdownOptions, html_to_text, markdown_to_text_with};

#[repr(C)]
struct Timespec {
	seconds: i64,
	nanoseconds: i64,
}
unsafe extern "C" {
	fn clock_gettime(clock: i32, now: *mut Timespec) -> i32;
}

fn processor_seconds() -> f64 {
	const CLOCK_THREAD_CPUTIME_ID: i32 = 3; // Linux
	let mut now = Timespec { seconds: 0, nanoseconds: 0 };
	// SAFETY: the clock exists, and `now` has the layout of struct timespec on 64-bit Linux.
	unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut now) };
	now.seconds as f64 + 1e-9 * now.nanoseconds as f64
}

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
			let start = processor_seconds();
			for _ in 0..calls {
				black_box(convert(kind, &page));
			}
			processor_seconds() - start
		};
		let mut calls = 1; // until reading the clock takes no time in comparison; this also warms the caches
		while batch(calls) < 1e-3 {
			calls *= 2;
		}
		let mut times = Vec::new();
		let began = processor_seconds();
		while times.len() < 3 || processor_seconds() - began < limit {
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
