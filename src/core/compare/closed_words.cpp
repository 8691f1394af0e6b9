// The classes come from grammars, not from a corpus: particles and adverbs of negation and negative pronouns (M.
// Dryer, "Negative Morphemes", in The World Atlas of Language Structures Online, chapter 112, 2013; M. Haspelmath,
// Indefinite Pronouns, 1997), disjunctive and exceptive conjunctions and prepositions, restrictive adverbs, words of
// before and after, more and less, least and most, and English and German verbs of duty and permission. Forms that are
// frequent words of another listed language with another meaning are left out (Dutch "of", Portuguese "o").
#include "core/compare/closed_words.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

// clang-format off
constexpr auto scope_words = [] {
	auto list = std::to_array<std::string_view>({
		// English
		"no", "not", "none", "nor", "never", "neither", "nobody", "nothing", "nowhere", "noone", "cannot", "without", "or", "either", "except",
		"excepting", "excluding", "excludes", "exclude", "unless", "only", "solely", "merely", "hardly", "barely", "until", "till", "before", "after", "above",
		"below", "more", "less", "fewer", "least", "most", "minimum", "maximum", "min", "max", "within", "must", "may", "shall", "should",
		"later", "earlier", "instead", "aint", "arent", "cant", "couldnt", "didnt", "doesnt", "dont", "hadnt", "hasnt",
		"havent", "isnt", "mustnt", "neednt", "shouldnt", "wasnt", "werent", "wont", "wouldnt",
		// German
		"nicht", "nichts", "nie", "niemals", "niemand", "niemanden", "niemandem", "nirgends", "nirgendwo", "weder", "noch", "ohne", "oder", "entweder", "sondern",
		"außer", "ausser", "ausgenommen", "nur", "bloß", "lediglich", "ausschließlich", "kaum", "bis", "vor", "nach", "vorher", "nachher", "früher", "später", "über",
		"unter", "mehr", "weniger", "mindestens", "höchstens", "maximal", "minimal", "statt", "muss", "müssen", "darf", "dürfen",
		"soll", "sollen", "sollte", "sollten",
		// French
		"non", "ne", "pas", "jamais", "rien", "personne", "ni", "sans", "ou", "soit", "sauf", "hormis", "excepté", "seul", "seule", "seuls", "seules", "seulement",
		"uniquement", "guère", "jusque", "jusqu'à", "jusqu'au", "jusqu'en", "avant", "après", "plus", "moins", "maximum", "minimum", "n'est", "n'a", "n'ont", "n'y",
		"n'en", "nul", "nulle", "nullement",
		// Spanish
		"nunca", "jamás", "nada", "nadie", "tampoco", "sin", "sino", "salvo", "excepto", "menos", "más", "solo", "sólo", "solamente", "únicamente", "hasta",
		"antes", "después", "mínimo", "máximo", "apenas",
		// Italian
		"né", "mai", "niente", "nulla", "neanche", "nemmeno", "neppure", "senza", "oppure", "ovvero", "tranne", "eccetto", "salvo", "soltanto", "solamente",
		"unicamente", "fino", "prima", "dopo", "più", "meno", "almeno", "minimo", "massimo",
		// Portuguese
		"não", "nem", "ninguém", "sem", "exceto", "salvo", "só", "somente", "apenas", "unicamente", "até", "depois", "mais", "mínimo",
		"tampouco", "jamais",
		// Dutch
		"niet", "niets", "nooit", "niemand", "nergens", "noch", "zonder", "behalve", "tenzij", "alleen", "slechts", "enkel", "uitsluitend", "tot", "voor", "na",
		"meer", "minder", "minstens", "hoogstens", "maximaal", "minimaal",
		// Polish
		"nie", "nigdy", "nikt", "nikogo", "nikomu", "nic", "niczego", "nigdzie", "ani", "bez", "lub", "albo", "oprócz", "prócz", "tylko", "jedynie", "wyłącznie",
		"dopóki", "przed", "po", "więcej", "mniej", "najmniej", "najwięcej", "powyżej", "poniżej",
		// Czech, Ukrainian
		"ne", "není", "nejsou", "nikdy", "nikdo", "nebo", "pouze", "jen", "kromě", "ні", "ніколи", "ніхто", "нічого", "лише", "тільки", "або", "крім", "немає",
		// Russian
		"не", "ни", "нет", "нельзя", "без", "или", "либо", "кроме", "исключая", "только", "лишь", "исключительно", "едва", "до", "после", "перед", "прежде", "более",
		"больше", "менее", "меньше", "минимум", "максимум", "свыше", "ниже", "выше", "вместо",
		// Turkish
		"değil", "değildir", "yok", "yoktur", "hiç", "hiçbir", "asla", "hayır", "veya", "yahut", "hariç", "dışında", "yalnız", "yalnızca", "sadece", "ancak", "kadar",
		"önce", "sonra", "fazla", "olmadan", "olmaz",
		// Swedish, Danish, Norwegian, Finnish, Hungarian, Greek
		"inte", "ej", "ikke", "ingen", "inget", "inga", "ingenting", "aldrig", "aldri", "utan", "uden", "uten", "eller", "endast", "bara", "bare", "kun", "utom",
		"undtagen", "unntatt", "ei", "eivät", "älä", "ilman", "vain", "tai", "nem", "nincs", "soha", "csak", "vagy", "nélkül", "δεν", "μη", "μην", "ούτε", "ποτέ",
		"μόνο", "χωρίς", "ή", "κανένας", "καμία", "κανένα", "εκτός",
		// Indonesian, Vietnamese
		"tidak", "bukan", "jangan", "tanpa", "hanya", "atau", "kecuali", "không", "chưa", "chẳng", "đừng", "chỉ", "hoặc",
		// Arabic, Persian, Hebrew (without points)
		"لا", "ليس", "ليست", "ليسوا", "لم", "لن", "غير", "بدون", "دون", "إلا", "الا", "سوى", "عدا", "فقط", "أو", "او", "أم", "عدم", "ممنوع", "ولا", "فلا", "ولم", "ولن",
		"وليس", "وليست", "وغير", "قبل", "بعد", "أكثر", "أقل", "اكثر", "اقل", "حتى", "لكن", "نه", "نیست", "نیستند", "هیچ", "یا", "بدونِ", "مگر", "לא", "אין", "בלי",
		"ללא", "רק", "או", "אל", "אינו", "אינה", "אינם", "מלבד", "לפני", "אחרי", "ולא",
		// Hindi, Bengali
		"नहीं", "नही", "न", "ना", "मत", "बिना", "बगैर", "केवल", "सिर्फ", "सिर्फ़", "मात्र", "या", "अथवा", "सिवाय", "अलावा", "तक", "पहले", "बाद", "अधिक", "कम",
		"ज्यादा", "ज़्यादा", "कभी", "कोई", "না", "নয়", "নেই", "নি", "শুধু", "বা", "অথবা", "ছাড়া",
	});
	std::sort(list.begin(), list.end());
	return list;
}();

// Inflected words begin with these.
constexpr std::string_view stems[] = {"kein", "niemand", "aucun", "ningun", "ningún", "ningum", "nenhum", "nessun", "geen", "żad", "žádn", "niczy",
	"никак", "никог", "никому", "никто", "никем", "никуда", "нигде", "ничег", "ничем", "ничто", "ничь", "жодн", "않", "없", "못", "아니"};
// Turkish: endings of negated verbs and of "without".
constexpr std::string_view endings[] = {"mez", "maz", "mezler", "mazlar", "medi", "madı", "medim", "madım", "medik", "madık", "mediler", "madılar", "miyor", "mıyor",
	"muyor", "müyor", "miyorum", "mıyorum", "miyorlar", "mıyorlar", "meyen", "mayan", "meden", "madan", "memeli", "mamalı", "memelidir", "mamalıdır", "meyecek",
	"mayacak", "memiş", "mamış", "memek", "mamak", "meyin", "mayın", "meyiniz", "mayınız", "sız", "siz", "suz", "süz", "sızdır", "sizdir", "suzdur", "süzdür",
	"mezdir", "mazdır"};
// Where words do not end in spaces: Chinese, Japanese, Thai.
constexpr std::string_view phrases[] = {"不", "没", "沒", "無", "无", "未", "非", "勿", "莫", "别", "別", "禁", "只", "仅", "僅", "唯", "除", "或", "否", "免",
	"以上", "以下", "以内", "以外", "之前", "之后", "之後", "至少", "至多", "最多", "最少", "超过", "超過", "少于", "少於", "多于", "多於",
	"ない", "なか", "なく", "なけ", "なし", "ません", "ませ", "ず", "ぬ", "だけ", "のみ", "しか", "または", "もしくは", "除", "まで", "ほか", "前に", "後に", "未満",
	"ไม่", "ห้าม", "เท่านั้น", "ยกเว้น", "หรือ", "ก่อน", "หลัง"};

constexpr std::string_view negative_prefixes[] = {"un", "in", "im", "il", "ir", "non", "dis", "mis", "anti", "nicht", "dés", "dé", "mé", "mal", "des", "on", "niet",
	"nie", "bez", "ne", "не", "без", "бес", "ni", "a", "an", "अ", "अन", "غير", "لا", "не", "anti", "ikke", "o", "u", "nem", "không"};

constexpr auto references = [] {
	auto list = std::to_array<std::string_view>({
		"it", "its", "this", "that", "these", "those", "they", "their", "them", "he", "his", "she", "her", "such", "both", "it's", "he's", "she's", "they're", "otherwise",
		"however", "also", "there", "then",
		"es", "er", "sie", "dies", "diese", "dieser", "dieses", "das", "sein", "seine", "ihr", "ihre", "beide", "sonst", "dort", "dann",
		"il", "elle", "ils", "elles", "ce", "c'est", "cela", "cette", "ces", "celui", "celle", "son", "sa", "ses", "leur", "leurs",
		"él", "ella", "ellos", "ellas", "este", "esta", "estos", "estas", "eso", "esto", "ese", "esa", "su", "sus",
		"esso", "essa", "questo", "questa", "questi", "queste", "suo", "sua", "ele", "ela", "eles", "elas", "isso", "isto", "seu",
		"het", "hij", "zij", "deze", "dit", "dat", "ono", "on", "ona", "to", "ten", "ta", "jego", "jej", "он", "она", "оно", "они", "это", "этот", "эта", "его", "её",
		"bu", "bunlar", "o", "onlar", "هو", "هي", "هذا", "هذه", "它", "他", "她", "这", "這", "यह", "ये", "वह", "वे", "これ", "それ",
	});
	std::sort(list.begin(), list.end());
	return list;
}();
// Articles, prepositions, conjunctions, pronouns and auxiliaries, beside the words above.
constexpr auto function_words = [] {
	auto list = std::to_array<std::string_view>({
		// English
		"a", "an", "the", "of", "to", "in", "on", "at", "by", "for", "from", "with", "into", "onto", "upon", "about", "as", "like", "per", "via", "through",
		"during", "against", "between", "among", "under", "over", "off", "out", "up", "down", "toward", "towards", "across", "along", "around", "behind", "beside",
		"besides", "beyond", "near", "since", "than", "and", "but", "if", "so", "yet", "because", "while", "when", "where", "whether", "which", "who", "whom",
		"whose", "what", "why", "how", "i", "you", "we", "me", "us", "him", "my", "your", "our", "any", "all", "each", "every", "some", "other", "another", "is", "are",
		"was", "were", "be", "been", "being", "am", "do", "does", "did", "has", "have", "had", "having", "will", "would", "can", "could", "might", "not",
		"here", "now", "just", "very", "too", "even", "still", "already", "again", "always", "often", "please", "e.g", "i.e", "etc",
		// German
		"der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "eines", "und", "aber", "denn", "weil", "dass", "ob", "wenn", "als", "wie",
		"von", "vom", "zu", "zum", "zur", "mit", "bei", "beim", "aus", "auf", "an", "am", "im", "in", "für", "durch", "um", "gegen", "zwischen", "seit", "während",
		"ist", "sind", "war", "waren", "sein", "wird", "werden", "wurde", "wurden", "hat", "haben", "kann", "können", "auch", "sich", "wir", "ihm", "ihn", "alle",
		// French
		"le", "la", "les", "l", "un", "une", "des", "du", "de", "d", "et", "mais", "donc", "car", "que", "qui", "dont", "où", "quand", "si", "comme", "à", "au", "aux",
		"en", "dans", "par", "pour", "avec", "sur", "sous", "chez", "vers", "entre", "est", "sont", "était", "être", "a", "ont", "avoir", "peut", "nous", "vous", "se",
		// Spanish, Portuguese, Italian
		"el", "los", "las", "lo", "una", "unos", "unas", "y", "e", "pero", "porque", "como", "cuando", "si", "del", "al", "por", "para", "con", "sobre", "entre",
		"es", "son", "era", "ser", "está", "están", "ha", "han", "puede", "pueden", "os", "as", "um", "uma", "do", "da", "dos", "das", "no", "na", "nos", "nas", "ao",
		"mas", "que", "em", "com", "é", "são", "foi", "pode", "podem", "il", "gli", "i", "uno", "del", "dello", "della", "dei", "delle", "di", "dal", "dalla", "nel",
		"nella", "sul", "sulla", "alla", "ed", "ma", "che", "se", "per", "tra", "fra", "è", "sono", "può", "si",
		// Dutch, Polish, Russian, Turkish
		"de", "het", "een", "en", "maar", "dat", "die", "van", "op", "te", "met", "bij", "uit", "door", "om", "is", "zijn", "wordt", "worden", "kan", "ook", "er",
		"i", "a", "oraz", "ale", "że", "który", "która", "które", "w", "we", "z", "ze", "na", "do", "od", "dla", "o", "jest", "są", "się", "и", "а", "но", "что",
		"который", "в", "во", "с", "со", "на", "от", "для", "о", "об", "по", "из", "у", "к", "за", "при", "ve", "ile", "için", "bir", "da", "de", "ki", "gibi",
	});
	std::sort(list.begin(), list.end());
	return list;
}();
// clang-format on

template <class List> bool begins_with_one(std::string_view word, const List &list) noexcept
{
	return std::any_of(std::begin(list), std::end(list), [&](std::string_view stem) { return word.starts_with(stem); });
}

bool has_turkish_ending(std::string_view word) noexcept
{
	for (const std::string_view ending : endings)
		if (word.size() >= ending.size() + 2 && word.ends_with(ending))
			return true;
	return false;
}

// Without the vowel signs of Arabic and the points of Hebrew.
std::string_view without_points(std::string_view word, char (&buffer)[64]) noexcept
{
	std::size_t to = 0;
	for (std::size_t at = 0; at < word.size();) {
		const Decoded c = decode(word.data() + at, word.data() + word.size());
		const char32_t p = c.code_point;
		const bool point = (p >= 0x64B && p <= 0x652) || p == 0x670 || p == 0x640 || (p >= 0x591 && p <= 0x5C7);
		if (!point) {
			if (to + c.length > sizeof buffer)
				return word;
			for (unsigned i = 0; i < c.length; ++i)
				buffer[to++] = word[at + i];
		}
		at += c.length;
	}
	return {buffer, to};
}

// The word with American endings: -or, -ize, -yze, -er, -og, -ense.
std::string american(std::string_view word)
{
	std::string out(word);
	constexpr std::pair<std::string_view, std::string_view> anywhere[] = {{"lour", "lor"}, {"bour", "bor"},
		{"vour", "vor"}, {"nour", "nor"}, {"mour", "mor"}, {"dour", "dor"}, {"pour", "por"}, {"gour", "gor"},
		{"tour", "tor"}, {"isation", "ization"}, {"ising", "izing"}, {"ised", "ized"}, {"yse", "yze"}, {"ogue", "og"},
		{"elling", "eling"}, {"elled", "eled"}, {"grey", "gray"}};
	constexpr std::pair<std::string_view, std::string_view> at_end[] = {
		{"ise", "ize"}, {"ises", "izes"}, {"tre", "ter"}, {"tres", "ters"}, {"bre", "ber"}, {"ence", "ense"}};
	for (const auto &[from, to] : anywhere)
		if (const std::size_t at = out.find(from, 1); at != std::string::npos && at >= 2)
			out.replace(at, from.size(), to);
	for (const auto &[from, to] : at_end)
		if (out.size() >= from.size() + 3 && out.ends_with(from))
			out.replace(out.size() - from.size(), from.size(), to);
	return out;
}

} // namespace

bool is_scope_word(std::string_view word) noexcept
{
	if (word.empty())
		return false;
	if (std::binary_search(scope_words.begin(), scope_words.end(), word) || word.ends_with("n't") ||
		begins_with_one(word, stems))
		return true;
	if (static_cast<unsigned char>(word[0]) >= 0xD6 && static_cast<unsigned char>(word[0]) <= 0xDB) {
		char buffer[64];
		const std::string_view bare = without_points(word, buffer);
		return bare.size() < word.size() && std::binary_search(scope_words.begin(), scope_words.end(), bare);
	}
	return has_turkish_ending(word);
}

bool is_scope_word(const TextWords &text, std::uint32_t i, std::string_view canonical) noexcept
{
	if (is_scope_word(canonical))
		return true;
	if (ends_in_space(text.word(i)))
		return false;
	constexpr std::uint32_t around = 15; // bytes: as long as a phrase
	const std::uint32_t begin = text.places[i].begin, end = text.places[i].end;
	const std::uint32_t from = begin - std::min(begin, around);
	const std::string_view window =
		text.between(from, std::min(end + around, static_cast<std::uint32_t>(text.text.size())));
	for (const std::string_view phrase : phrases)
		for (std::size_t at = window.find(phrase); at != std::string_view::npos; at = window.find(phrase, at + 1))
			if (from + at < end && from + at + phrase.size() > begin)
				return true;
	return false;
}

bool is_negated(std::string_view a, std::string_view b) noexcept
{
	if (a.size() == b.size())
		return false;
	if (a.size() < b.size())
		std::swap(a, b);
	if (!a.ends_with(b) || b.size() < 3)
		return false;
	const std::string_view prefix = a.substr(0, a.size() - b.size());
	return std::find(std::begin(negative_prefixes), std::end(negative_prefixes), prefix) != std::end(negative_prefixes);
}

bool is_same_word(std::string_view a, std::string_view b)
{
	return std::min(a.size(), b.size()) >= 4 && american(a) == american(b);
}

WordDifference difference_of_words(std::string_view a, std::string_view b) noexcept
{
	const auto letters = [](std::string_view word) {
		return static_cast<std::size_t>(
			std::count_if(word.begin(), word.end(), [](char c) { return !is_continuation(c); }));
	};
	const std::size_t most = std::min(a.size(), b.size());
	std::size_t begin = 0, end = 0;
	while (begin < most && a[begin] == b[begin])
		++begin;
	while (begin > 0 && begin < most && (is_continuation(a[begin]) || is_continuation(b[begin])))
		--begin;
	while (end < most - begin && a[a.size() - end - 1] == b[b.size() - end - 1])
		++end;
	while (end > 0 && (is_continuation(a[a.size() - end]) || is_continuation(b[b.size() - end])))
		--end;
	return {letters(a.substr(0, begin)), letters(a.substr(begin, a.size() - begin - end)),
		letters(b.substr(begin, b.size() - begin - end)), std::max(letters(a), letters(b))};
}

bool is_corrected(std::string_view a, std::string_view b) noexcept
{
	if (a.size() > b.size())
		std::swap(a, b);
	if ((a == "a" && b == "an") || (a == "http" && b == "https"))
		return true;
	const WordDifference rest = difference_of_words(a, b);
	if (rest.begin < 2)
		return false;
	return rest.longest >= 7 ? rest.in_a == 0 ? rest.in_b <= 2 : rest.in_a == 1 && rest.in_b == 1
							 : rest.longest >= 5 && rest.in_a == 0 && rest.in_b == 1;
}

bool ends_in_space(std::string_view word) noexcept
{
	const char32_t c = decode(word.data(), word.data() + word.size()).code_point;
	return !((c >= 0xE00 && c <= 0xEFF) || (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF) ||
		(c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x9FFF) || (c >= 0x20000 && c <= 0x3FFFF));
}

bool is_harmless_correction(std::string_view a, std::string_view b) noexcept
{
	if (a.size() > b.size())
		std::swap(a, b);
	if (a.size() == b.size())
		return false;
	const auto differ = std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin();
	const auto at = static_cast<std::size_t>(differ);
	const std::string_view more = b.substr(at, b.size() - a.size());
	if (a == "a" || (at == a.size() && (more == "s" || more == "es")))
		return true;
	return more.size() == 1 && at > 0 && b[at - 1] == b[at] && a.substr(at) == b.substr(at + 1);
}

bool is_word_of_version(std::string_view word) noexcept
{
	constexpr std::string_view stems_of_version[] = {"vers", "wers", "верси", "sürüm", "release", "ausgabe", "verze"};
	return word == "v" || begins_with_one(word, stems_of_version);
}

bool is_function_word(std::string_view word) noexcept
{
	return std::binary_search(function_words.begin(), function_words.end(), word) || is_reference(word) ||
		is_scope_word(word);
}

bool is_reference(std::string_view word) noexcept
{
	return std::binary_search(references.begin(), references.end(), word);
}

} // namespace txtfp::core
