//! Times the crate txtfp on files of UTF-8 text and prints one line per measurement, as bench/core.cpp does:
//!     <file> TAB <measurement> TAB <value>
//! Times are the median over batches, in nanoseconds per call.

use std::hint::black_box;
use std::time::Instant;

use txtfp::classical::HashFamily;
use txtfp::{
	Canonicalizer, Fingerprinter, MinHashFingerprinter, ShingleTokenizer, Tokenizer, WordTokenizer,
};

const SLOTS: usize = 128;
const K: usize = 5;
const DEFAULT_SEED: u64 = 0x00C0_FFEE_5EED;
const BATCHES: usize = 15;
const BATCH_NS: u128 = 3_000_000; // long against the clock's resolution, short against a scheduler's slice

/// Median nanoseconds per call. The first batches, which find the batch size, also warm the caches.
fn median_ns(mut call: impl FnMut()) -> f64 {
	let mut time = |calls: u64| {
		let start = Instant::now();
		for _ in 0..calls {
			call();
		}
		start.elapsed().as_nanos()
	};
	let mut calls = 1;
	while time(calls) < BATCH_NS {
		calls *= 2;
	}
	let mut per_call: Vec<f64> = (0..BATCHES).map(|_| time(calls) as f64 / calls as f64).collect();
	per_call.sort_by(f64::total_cmp);
	per_call[BATCHES / 2]
}

fn count_words(text: &str) -> usize {
	let mut words = 0;
	WordTokenizer.for_each_token(text, &mut |word| {
		black_box(word);
		words += 1;
	});
	words
}

/// The first four slots, and FNV-1a over all of them taken as whole words.
fn describe(slots: &[u64]) -> String {
	let digest = slots.iter().fold(0xCBF2_9CE4_8422_2325_u64, |h, s| (h ^ s).wrapping_mul(0x0100_0000_01B3));
	let first: Vec<String> = slots[..4].iter().map(|s| format!("{s:016x}")).collect();
	format!("{} digest {digest:016x}", first.join(" "))
}

fn measure(path: &str, text: &str) {
	let canonicalizer = Canonicalizer::default();
	let sketcher = MinHashFingerprinter::<_, SLOTS>::new(
		Canonicalizer::default(),
		ShingleTokenizer { k: K, inner: WordTokenizer },
	);
	// A crate whose defaults moved would be measured on something else.
	assert_eq!(sketcher.hasher(), HashFamily::Xxh3_64);
	assert_eq!(sketcher.seed(), DEFAULT_SEED);
	assert_eq!(canonicalizer.config_string(), "nfkc-cf-simple-bidi-fmt");

	let canonical = canonicalizer.canonicalize(text);
	let sketch = sketcher.fingerprint(text).expect("the text has a word");
	println!("{path}\tword_count\t{}", count_words(&canonical));
	println!("{path}\tsketch\t{}", describe(&sketch.hashes));

	let row = |what: &str, ns: f64| println!("{path}\t{what}\t{ns:.1}");
	row("canonicalize", median_ns(|| {
		black_box(canonicalizer.canonicalize(black_box(text)));
	}));
	row("words", median_ns(|| {
		black_box(count_words(black_box(&canonical)));
	}));
	row("minhash", median_ns(|| {
		black_box(sketcher.fingerprint(black_box(text)).is_ok());
	}));
}

fn main() {
	let paths: Vec<String> = std::env::args().skip(1).collect();
	if paths.is_empty() {
		eprintln!("usage: txtfp-bench-crate FILE...");
		std::process::exit(2);
	}
	for path in paths {
		let text = std::fs::read_to_string(&path).unwrap_or_else(|e| {
			eprintln!("{path}: {e}");
			std::process::exit(1);
		});
		measure(&path, &text);
	}
}
