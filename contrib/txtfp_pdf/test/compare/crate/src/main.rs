//! The text that the crate txtfp takes out of PDF files:
//!     txtfp-pdf-crate LIST DIRECTORY
//! LIST names the files, one in a line. DIRECTORY gets N.txt for the Nth file, and the file `table`: N, "ok" or the error, seconds, and
//! the path, separated by TAB. A file whose parser does not return within the crate's own limit of 30 seconds keeps a thread busy, so each file
//! is read by a process of its own:
//!     txtfp-pdf-crate FILE

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

fn one_file(path: &str) {
	let bytes = std::fs::read(path).expect("the file can be read");
	match txtfp::pdf_to_text(&bytes) {
		Ok(text) => std::io::stdout().write_all(text.as_bytes()).expect("standard output"),
		Err(error) => {
			eprintln!("{error}");
			std::process::exit(1);
		}
	}
}

/// The last line that is not about a panic, without the characters that separate the columns.
fn message(stderr: &[u8]) -> String {
	String::from_utf8_lossy(stderr).lines().last().unwrap_or("killed").replace('\t', " ")
}

fn main() {
	let arguments: Vec<String> = std::env::args().collect();
	if let [_, path] = &arguments[..] {
		one_file(path);
		return;
	}
	let [program, list, directory] = &arguments[..] else {
		eprintln!("usage: txtfp-pdf-crate LIST DIRECTORY");
		std::process::exit(2);
	};
	std::fs::create_dir_all(directory).expect("the directory can be made");
	let mut table = std::fs::File::create(Path::new(directory).join("table")).expect("the table can be written");
	for (number, path) in std::fs::read_to_string(list).expect("the list can be read").lines().enumerate() {
		let started = Instant::now();
		let output = Command::new(program).arg(path).stdin(Stdio::null()).output().expect("the program starts itself");
		let outcome = if output.status.success() { "ok".to_string() } else { message(&output.stderr) };
		std::fs::write(Path::new(directory).join(format!("{number}.txt")), &output.stdout).expect("the text can be written");
		writeln!(table, "{number}\t{outcome}\t{:.3}\t{path}", started.elapsed().as_secs_f64()).expect("the table can be written");
	}
}
