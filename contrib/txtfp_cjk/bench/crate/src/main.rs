//! Cuts texts with jieba-rs and lindera as the crate txtfp calls them; the same arguments and output as bench/segment.cpp.
//!     txtfp-cjk-crate TOKENIZER TABLES < TEXTS             each text's tokens separated by U+001F, and a zero byte
//!     txtfp-cjk-crate TOKENIZER TABLES ROUNDS < TEXTS      the best of this number of rounds, in MB/s
//! TABLES is the folder of a dictionary's tables that tools/carve.py has taken out of a wheel; jieba-rs has its own. lindera keeps its lattice from
//! text to text, which is faster than what the crate txtfp does.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Instant;

use jieba_rs::Jieba;
use lindera::mode::Mode;
use lindera::segmenter::Segmenter;
use lindera_dictionary::dictionary::Dictionary;
use lindera_dictionary::dictionary::character_definition::CharacterDefinition;
use lindera_dictionary::dictionary::connection_cost_matrix::ConnectionCostMatrix;
use lindera_dictionary::dictionary::metadata::Metadata;
use lindera_dictionary::dictionary::prefix_dictionary::PrefixDictionary;
use lindera_dictionary::dictionary::unknown_dictionary::UnknownDictionary;
use lindera_dictionary::viterbi::Lattice;

const STATE: usize = 12;
const OUTPUT: usize = 12;

fn word(bytes: &[u8], at: usize) -> u32 {
	u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// lindera 2.2 stores "first row, number of rows" of a surface with 5 bits for the number, lindera 3.0 with 8. The 32 rows of one Korean
/// surface do not fit into 5 bits; they are what the rows of the others leave over.
fn repack(double_array: &mut [u8]) {
	let outputs_at = 4 + STATE * word(double_array, 0) as usize;
	let count = word(double_array, outputs_at) as usize;
	let mut known = Vec::new();
	for i in 0..count {
		let value = word(double_array, outputs_at + 4 + i * OUTPUT);
		if value & 31 != 0 {
			known.push((value >> 5, value & 31));
		}
	}
	known.sort_unstable();
	known.dedup();
	let gap = known.windows(2).find(|pair| pair[0].0 + pair[0].1 != pair[1].0).map(|pair| pair[0].0 + pair[0].1);
	for i in 0..count {
		let at = outputs_at + 4 + i * OUTPUT;
		let value = word(double_array, at);
		let (first, rows) = if value & 31 == 0 { (gap.expect("rows that belong to no surface"), 32) } else { (value >> 5, value & 31) };
		double_array[at..at + 4].copy_from_slice(&(first << 8 | rows).to_le_bytes());
	}
}

fn lindera(tables: &Path) -> Segmenter {
	let read = |name: &str| std::fs::read(tables.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
	let mut double_array = read("da");
	repack(&mut double_array);
	let dictionary = Dictionary {
		prefix_dictionary: PrefixDictionary::load(double_array, read("rows"), Vec::new(), Vec::new(), true).expect("da"),
		connection_cost_matrix: ConnectionCostMatrix::load(read("matrix")).expect("matrix"),
		character_definition: CharacterDefinition::load(&read("char")).expect("char"),
		unknown_dictionary: UnknownDictionary::load(&read("unk")).expect("unk"),
		metadata: Metadata::default(),
	};
	Segmenter::new(Mode::Normal, dictionary, None)
}

enum Tokenizer {
	Jieba { jieba: Jieba, hmm: bool },
	Lindera { segmenter: Segmenter, lattice: Lattice },
}

impl Tokenizer {
	fn cut(&mut self, text: &str, mut each: impl FnMut(&str)) {
		match self {
			Tokenizer::Jieba { jieba, hmm } => {
				jieba.cut(text, *hmm).into_iter().filter(|token| !token.trim().is_empty()).for_each(each);
			}
			Tokenizer::Lindera { segmenter, lattice } => {
				for token in segmenter.segment_with_lattice(Cow::Borrowed(text), lattice).unwrap_or_default() {
					if !token.surface.trim().is_empty() {
						each(&token.surface);
					}
				}
			}
		}
	}
}

fn main() {
	let arguments: Vec<String> = std::env::args().collect();
	if arguments.len() < 3 {
		eprintln!("usage: txtfp-cjk-crate TOKENIZER TABLES [ROUNDS] < TEXTS");
		std::process::exit(2);
	}
	let mut tokenizer = match arguments[1].as_str() {
		"cjk-jieba" => Tokenizer::Jieba { jieba: Jieba::new(), hmm: false },
		"cjk-jieba-hmm" => Tokenizer::Jieba { jieba: Jieba::new(), hmm: true },
		_ => Tokenizer::Lindera { segmenter: lindera(Path::new(&arguments[2])), lattice: Lattice::default() },
	};
	let mut input = String::new();
	std::io::stdin().read_to_string(&mut input).expect("UTF-8");
	let texts: Vec<&str> = input.strip_suffix('\0').unwrap_or(&input).split('\0').collect();
	if let Some(rounds) = arguments.get(3) {
		let bytes: usize = texts.iter().map(|text| text.len()).sum();
		let (mut best, mut count) = (0f64, 0usize);
		for _ in 0..rounds.parse::<u32>().expect("a number of rounds") {
			count = 0;
			let begin = Instant::now();
			for text in &texts {
				tokenizer.cut(text, |_| count += 1);
			}
			best = best.max(bytes as f64 / 1e6 / begin.elapsed().as_secs_f64());
		}
		println!("{best:.2} MB/s, {count} tokens");
		return;
	}
	let mut out = std::io::BufWriter::new(std::io::stdout().lock());
	for text in &texts {
		let mut first = true;
		tokenizer.cut(text, |token| {
			if !first {
				out.write_all(b"\x1f").unwrap();
			}
			out.write_all(token.as_bytes()).unwrap();
			first = false;
		});
		out.write_all(b"\0").unwrap();
	}
}
