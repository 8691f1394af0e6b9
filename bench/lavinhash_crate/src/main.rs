//! Times the crate lavinhash on files and prints one line per file, as bench/lavinhash.cpp does:
//!     <file> TAB <FNV-1a of the fingerprint> TAB <nanoseconds>
//! Prints a line to stderr per call, which the crate does by itself.

use std::hint::black_box;
use std::time::Instant;

use lavinhash::HashConfig;

const BATCHES: usize = 15;

fn main() {
	let config = HashConfig::default();
	for path in std::env::args().skip(1) {
		let bytes = std::fs::read(&path).unwrap_or_else(|e| {
			eprintln!("{path}: {e}");
			std::process::exit(1);
		});
		let form = lavinhash::generate_hash(&bytes, &config).expect("the file is not empty").to_bytes();
		let digest = form.iter().fold(0xCBF2_9CE4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01B3));
		let calls = (1_000_000 / (bytes.len() + 1)).max(1);
		let mut times: Vec<f64> = (0..BATCHES)
			.map(|_| {
				let start = Instant::now();
				for _ in 0..calls {
					black_box(lavinhash::generate_hash(black_box(&bytes), &config).is_ok());
				}
				start.elapsed().as_nanos() as f64 / calls as f64
			})
			.collect();
		times.sort_by(f64::total_cmp);
		println!("{path}\t{digest:016x}\t{:.0}", times[BATCHES / 2]);
	}
}
