//! Times the crate txtfp on files of UTF-8 text and prints one line per measurement, as bench/core.cpp does:
//!     <file> TAB <measurement> TAB <value>
//! Times are the median over batches, in nanoseconds of the thread's own CPU time per call.
//! For callgrind: txtfp-bench-crate --once FILE calls measured_call once for each measurement, warm.

use std::hint::black_box;

use cpu_time::ThreadTime; // what other processes do in between does not count
use txtfp::classical::HashFamily;
use txtfp::{
	Canonicalizer, Fingerprinter, MinHashFingerprinter, ShingleTokenizer, SimHashFingerprinter, Tokenizer, Weighting,
	WordTokenizer,
};

const SLOTS: usize = 128;
const K: usize = 5;
const DEFAULT_SEED: u64 = 0x00C0_FFEE_5EED;
const BATCHES: usize = 15;
const BATCH_NS: f64 = 3e6; // long against the clock's resolution, short against a scheduler's slice

/// The symbol that callgrind is told to collect in; bench/core.cpp has the same.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn measured_call(call: &mut &mut dyn FnMut()) {
	call();
}

/// Median nanoseconds per call. The first batches, which find the batch size, also warm the caches.
fn median_ns(mut call: impl FnMut()) -> f64 {
	let mut time = |calls: u64| {
		let start = ThreadTime::now();
		for _ in 0..calls {
			call();
		}
		1e9 * start.elapsed().as_secs_f64()
	};
	let mut calls = 1;
	while time(calls) < BATCH_NS {
		calls *= 2;
	}
	let mut per_call: Vec<f64> = (0..BATCHES).map(|_| time(calls) / calls as f64).collect();
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

fn measure(path: &str, text: &str, once: bool) {
	let canonicalizer = Canonicalizer::default();
	let sketcher = MinHashFingerprinter::<_, SLOTS>::new(
		Canonicalizer::default(),
		ShingleTokenizer { k: K, inner: WordTokenizer },
	);
	let simhasher =
		SimHashFingerprinter::new(Canonicalizer::default(), WordTokenizer).with_weighting(Weighting::Tf);
	// A crate whose defaults moved would be measured on something else.
	assert_eq!(sketcher.hasher(), HashFamily::Xxh3_64);
	assert_eq!(sketcher.seed(), DEFAULT_SEED);
	assert_eq!(simhasher.hasher(), HashFamily::Xxh3_64);
	assert_eq!(canonicalizer.config_string(), "nfkc-cf-simple-bidi-fmt");

	let canonical = canonicalizer.canonicalize(text);
	if !once {
		let sketch = sketcher.fingerprint(text).expect("the text has a word");
		let bits = simhasher.fingerprint(text).expect("the text has a word");
		println!("{path}\tword_count\t{}", count_words(&canonical));
		println!("{path}\tminhash_slots\t{}", describe(&sketch.hashes));
		println!("{path}\tsimhash_bits\t{:016x}", bits.0);
	}

	// generic over the call, so that the timed loop can inline it
	fn row(path: &str, what: &str, once: bool, mut call: impl FnMut()) {
		if once {
			call();
			println!("{path}\t{what}");
			measured_call(&mut (&mut call as &mut dyn FnMut()));
		} else {
			println!("{path}\t{what}\t{:.1}", median_ns(call));
		}
	}
	row(path, "canonicalize", once, || {
		black_box(canonicalizer.canonicalize(black_box(text)));
	});
	row(path, "words", once, || {
		black_box(count_words(black_box(&canonical)));
	});
	row(path, "minhash", once, || {
		black_box(sketcher.fingerprint(black_box(text)).is_ok());
	});
	row(path, "simhash", once, || {
		black_box(simhasher.fingerprint(black_box(text)).is_ok());
	});
}

fn main() {
	let mut paths: Vec<String> = std::env::args().skip(1).collect();
	let once = paths.first().is_some_and(|first| first == "--once");
	if once {
		paths.remove(0);
	}
	if paths.is_empty() {
		eprintln!("usage: txtfp-bench-crate [--once] FILE...");
		std::process::exit(2);
	}
	for path in paths {
		let text = std::fs::read_to_string(&path).unwrap_or_else(|e| {
			eprintln!("{path}: {e}");
			std::process::exit(1);
		});
		measure(&path, &text, once);
	}
}
