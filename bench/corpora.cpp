// Writes the texts that bench/core.sh measures: corpora DIRECTORY
// The bytes are always the same, so that figures from different days and machines are for the same text.
//   ascii    English-like prose: a word list drawn by Zipf's law, in sentences and paragraphs
//   mixed    sentences in fourteen languages and nine scripts, with emoji, as a multilingual forum has them
//   latin cyrillic arabic devanagari thai han hangul emoji
//            the sentences of mixed that are in that script, alone
// The smaller text of a kind is a prefix of the larger.
#include <cctype>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/splitmix.hpp"

namespace {

// <random>'s distributions differ between standard libraries.
struct Random : txtfp::core::SplitMix64 {
	using SplitMix64::SplitMix64;
	std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((*this)() >> 32) * n >> 32); }
	bool one_in(std::uint32_t n) { return below(n) == 0; }
};

// Most frequent first: the word of rank r is drawn with a weight of 1 / (r + 15), which gives
// six bytes for a word and the space after it, as English has.
// clang-format off
constexpr std::string_view english[] = {
	"the", "of", "and", "to", "a", "in", "is", "that", "for", "it", "was", "on", "with", "as", "be", "by", "at", "are",
	"this", "from", "or", "have", "an", "not", "which", "were", "had", "their", "been", "has", "but", "they", "its",
	"will", "would", "more", "when", "there", "can", "one", "all", "other", "who", "into", "may", "these", "only", "some",
	"time", "could", "than", "then", "two", "about", "such", "them", "first", "also", "any", "new", "between", "should",
	"after", "over", "don't", "most", "people", "made", "through", "work", "many", "where", "must", "before", "system",
	"years", "part", "being", "under", "water", "same", "each", "number", "during", "world", "without", "however", "found",
	"used", "long", "small", "house", "great", "place", "different", "because", "against", "general", "following",
	"morning", "river", "several", "children", "question", "important", "garden", "government", "possible", "nothing",
	"library", "document", "history", "mountain", "together", "themselves", "language", "problem", "company", "evening",
	"available", "development", "particular", "answer", "window", "interest", "experience", "it's", "although", "machine",
	"market", "weather", "station", "building", "research", "information", "therefore", "letter", "region", "harbour",
	"sentence", "paragraph", "copper", "silver", "orchard", "bridge", "journey", "neighbour", "programme", "electric",
	"northern", "southern", "carefully", "gradually", "sometimes", "everything", "collection", "observation", "temperature",
	"agricultural", "manufacture", "international", "responsibility", "transportation", "correspondence", "archaeological",
};

class Zipf {
public:
	explicit Zipf(std::size_t ranks)
	{
		std::uint32_t sum = 0;
		for (std::size_t r = 0; r < ranks; ++r)
			cumulative_.push_back(sum += static_cast<std::uint32_t>(1000000 / (r + 15)));
	}
	std::size_t draw(Random &random) const
	{
		const std::uint32_t at = random.below(cumulative_.back());
		std::size_t rank = 0;
		while (cumulative_[rank] <= at)
			++rank;
		return rank;
	}

private:
	std::vector<std::uint32_t> cumulative_;
};

void append_english_word(std::string &out, const Zipf &zipf, Random &random)
{
	if (random.one_in(60))
		out += std::to_string(1 + random.below(2000)) + (random.one_in(3) ? "." + std::to_string(random.below(100)) : "");
	else if (random.one_in(80))
		out.append("well-").append(english[zipf.draw(random)]);
	else
		out += english[zipf.draw(random)];
}

std::string english_sentence(Random &random)
{
	static const Zipf zipf(std::size(english));
	const std::uint32_t words = 6 + random.below(18);
	std::string sentence;
	for (std::uint32_t i = 0; i < words; ++i) {
		if (i > 0)
			sentence += random.one_in(11) ? ", " : " ";
		const bool aside = random.one_in(90);
		sentence += aside ? "(" : "";
		append_english_word(sentence, zipf, random);
		sentence += aside ? ")" : "";
	}
	sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
	return sentence + (random.one_in(12) ? "?" : ".") + (random.one_in(6) ? "\n\n" : " ");
}

// One sentence = opening + middle + ending, each drawn for itself.
struct Language {
	std::vector<std::string_view> openings, middles, endings;
};
using Languages = std::vector<Language>;

const Languages latin = {
	{{"Früher am Morgen ", "Übrigens ", "Nach der Prüfung ", "Während des Gesprächs ", "Fünf Minuten später ",
		 "Trotz der Kälte "}, // German
		{"erzählte die Großmutter „eine schöne Geschichte“ ", "öffnete der Bäcker seine Tür ",
			"hörten wir ein leises Geräusch ", "zählte der Wächter die Lämpchen ", "flog ein Käfer über das Gemüsebeet "},
		{"für fünf Gäste aus Köln.\n", "über die Straße hinüber. ", "— und niemand wußte warum. ",
			"in der Nähe des Flüßchens. ", "bis es dämmerte. "}},
	{{"À l’été dernier, ", "Où que l’on aille, ", "Ça fait déjà longtemps : ", "Après la fête, ", "D’après le maître, "}, // French
		{"les élèves ont préparé un gâteau ", "la forêt était très silencieuse ", "mon frère a trouvé une clé ",
			"l’hôtesse a rangé les crêpes "},
		{"près de la rivière. ", "à côté du café « Chez Noël ».\n", "grâce à sa mémoire… ", "dès l’arrivée du bateau. "}},
	{{"Później ", "Wczoraj wieczorem ", "Każdego dnia ", "Za górą "}, // Polish
		{"sąsiad przyniósł świeże jabłka ", "dzieci układają długą wieżę ", "słońce świeci nad łąką ",
			"kość gryzł pies strażnika "},
		{"i wszyscy byli szczęśliwi. ", "choć źle się zaczęło.\n", "żeby coś zmienić. "}},
	{{"Dün akşam ", "İstanbul’da ", "Geçen yıl ", "Öğleden önce "}, // Turkish
		{"küçük çocuklar şarkı söyledi ", "ağaçların gölgesi uzundu ", "komşumuz yeni bir dükkân açtı ",
			"yağmur bütün gün sürdü "},
		{"ve herkes güldü. ", "çünkü hava ılıktı. ", "diye düşündük.\n"}},
	{{"Sáng nay ", "Ở làng tôi, ", "Mỗi mùa hè ", "Cuối tuần trước "}, // Vietnamese
		{"người thợ cũ sửa chiếc thuyền ", "những đứa trẻ đọc sách ", "bà kể chuyện về dòng sông ",
			"cả nhà trồng thêm rau "},
		{"dưới bóng cây lớn. ", "rồi trở về nhà.\n", "trước khi trời tối. "}},
};
const Languages greek = {
	{{"Το πρωί ", "Στο νησί ", "Κάθε χρόνο "},
		{"ο γέρος ψαράς επισκευάζει τα δίχτυα ", "οι μαθητές γράφουν μικρές ιστορίες "},
		{"κοντά στη θάλασσα. ", "όπως πάντα.\n"}},
};
const Languages cyrillic = {
	{{"Вчера вечером ", "Каждую осень ", "В старом доме ", "После долгой зимы ", "На краю села "}, // Russian
		{"сосед рассказывал длинную историю ", "дети собирают жёлтые листья ", "учёный записал 12 наблюдений ",
			"почтальон разносил письма и газеты ", "мастер чинит часы для всей улицы "},
		{"и никто его не перебивал. ", "потому что впереди зима. ", "— так было всегда.\n",
			"хотя просили его о другом. ", "а потом уходит к реке. "}},
	{{"Щоранку ", "Торік улітку ", "Біля Київської брами "}, // Ukrainian
		{"бабуся пече пиріг із вишнями ", "їжак ховається під ґанком ", "учні читають вірші вголос "},
		{"й усі посміхаються. ", "бо надворі дощить.\n", "доки не стемніє. "}},
};
const Languages arabic = {
	{{"في صباح كل يوم ", "منذ سنوات طويلة ", "عند نهاية الأسبوع، ", "بعد سقوط المطر ", "في المدينة القديمة ",
		 "قبل غروب الشمس، ", "على ضفة النهر "},
		{"يجتمع الناس في السوق الكبير ", "تقرأ المعلمة قصة جديدة للأطفال ", "يكتب جدي رسائل إلى أصدقائه ",
			"تعمل المكتبة على حفظ الكتب النادرة ", "يزرع الفلاحون القمح والشعير ", "كتبَ الطالبُ دَرسَهُ بعناية ",
			"وصل ٢٥ مسافرا من بلاد بعيدة "},
		{"لأنهم يحبون الحديث عن الماضي. ", "ثم يعودون إلى بيوتهم معا. ", "وهذا ما اعتاد عليه الجميع. ",
			"حتى لا تضيع المعرفة مع الزمن. ", "شكرًا لكل من ساعد في هذا العمل! ", "فهل تبقى هذه العادة؟\n"}},
};
const Languages devanagari = { // Hindi
	{{"हर सुबह ", "पिछले साल ", "हमारे गाँव में ", "बरसात के बाद ", "पुराने शहर में ", "शाम होते ही "},
		{"बच्चे नदी के किनारे खेलते हैं ", "किसान नई फ़सल बोते हैं ", "दादी पुरानी कहानियाँ सुनाती हैं ",
			"विद्यार्थी पुस्तकालय में पढ़ते हैं ", "व्यापारी ३० बोरियाँ चावल लाए ", "कुम्हार मिट्टी के बर्तन बनाता है "},
		{"और सब लोग ध्यान से सुनते हैं। ", "क्योंकि मौसम अच्छा है।\n", "ताकि कोई भूखा न रहे। ",
			"फिर सब घर लौट जाते हैं। "}},
};
const Languages thai = {
	{{"ทุกเช้า", "เมื่อปีที่แล้ว", "ในหมู่บ้านเล็ก ๆ ", "หลังฝนตก", "ที่ตลาดริมน้ำ ", "พอถึงหน้าร้อน"},
		{"ชาวสวนเก็บผลไม้ไปขายที่ตลาด", "ครูเล่านิทานให้เด็กฟัง", "น้ำในแม่น้ำใสมาก", "คุณยายทำขนมไว้ ๑๒ ถ้วย",
			"เพื่อนบ้านช่วยกันซ่อมสะพาน"},
		{"แล้วทุกคนก็ยิ้ม ", "เพราะอากาศเย็นสบาย\n", "ก่อนพระอาทิตย์ตกดิน ", "ซึ่งเป็นเรื่องที่น่ายินดี "}},
};
const Languages han = { // Chinese
	{{"昨天晚上，", "在山脚下的村子里，", "每年春天，", "下过雨以后，", "天还没亮，", "离学校不远的地方，"},
		{"老人给孩子们讲了一个很长的故事，", "工程师检查了３５座旧桥，", "图书馆收藏了许多珍贵的手稿，",
			"邻居们一起修好了水渠，", "渔民把船停在岸边，", "医生写信告诉他的朋友："},
		{"大家都听得很认真。", "因为雨季就要来了。\n", "可是没有人知道原因。", "这样的日子已经过了十年。"}},
};
const Languages japanese = {
	{{"毎朝、", "去年の夏、", "小さな町で、"},
		{"おじいさんはコーヒーを飲みながら", "学生たちはカメラをもって", "駅員さんが手紙を読んで"},
		{"海を見ていました。", "古い話を思い出す。\n"}},
};
const Languages hangul = { // Korean
	{{"어제 저녁에 ", "작은 마을에서 ", "해마다 봄이 오면 ", "비가 그친 뒤에 ", "오래된 도서관에서 "},
		{"할머니가 옛날이야기를 들려주셨고 ", "아이들이 강가에서 놀았으며 ", "농부가 새 씨앗을 뿌리고 ",
			"학생들이 편지를 24통 썼는데 ", "이웃들이 함께 다리를 고쳤고 "},
		{"모두가 기뻐했다. ", "비가 내리기 시작했다.\n", "아무도 그 까닭을 몰랐다. ", "다들 집으로 돌아갔다. "}},
};
const Languages emoji = { // people's comments
	{{"😀 ", "🎉🎉 ", "👍🏽 ", "❤️ ", "🥳✨ ", "🤷🏻‍♀️ "},
		{"Très bien 👩‍💻 ", "спасибо большое ", "ok, 100 % ", "Ｗｏｗ ™ ", "see you 2️⃣ ", "🚀🚀🚀 lol "},
		{"🇩🇪🇫🇷\n", "😂😂😂 ", "🙏 ", "👨‍👩‍👧‍👦 ", "☀️🌊 "}},
};

Languages all_languages()
{
	Languages all;
	for (const Languages &some : {latin, greek, cyrillic, arabic, devanagari, thai, han, japanese, hangul, emoji})
		all.insert(all.end(), some.begin(), some.end());
	return all;
}
// clang-format on

std::string sentence_in(const Language &language, Random &random)
{
	std::string sentence;
	for (const auto *parts : {&language.openings, &language.middles, &language.endings})
		sentence += (*parts)[random.below(static_cast<std::uint32_t>(parts->size()))];
	return sentence;
}

struct Kind {
	const char *name;
	Languages languages; // none: English
};
struct Size {
	const char *name;
	std::size_t bytes;
};

std::string sentence_of(const Kind &kind, Random &random)
{
	if (kind.languages.empty())
		return english_sentence(random);
	return sentence_in(kind.languages[random.below(static_cast<std::uint32_t>(kind.languages.size()))], random);
}

// At most `size` bytes, whole code points.
std::string text_of(const Kind &kind, std::size_t size)
{
	Random random(15);
	std::string text;
	while (text.size() <= size)
		text += sentence_of(kind, random);
	while ((static_cast<unsigned char>(text[size]) & 0xC0) == 0x80)
		--size;
	text.resize(size);
	return text;
}

constexpr Size sizes[] = {{"200", 200}, {"1k", 1000}, {"5k", 5000}, {"100k", 100000}, {"1m", 1000000}};

} // namespace

int main(int argc, char **argv)
{
	if (argc != 2) {
		std::cerr << "usage: corpora DIRECTORY\n";
		return 2;
	}
	const Kind kinds[] = {{"ascii", {}}, {"mixed", all_languages()}, {"latin", latin}, {"cyrillic", cyrillic},
		{"arabic", arabic}, {"devanagari", devanagari}, {"thai", thai}, {"han", han}, {"hangul", hangul},
		{"emoji", emoji}};
	for (const Kind &kind : kinds)
		for (const Size &size : sizes) {
			const std::string path = std::string(argv[1]) + '/' + kind.name + '-' + size.name + ".txt";
			std::ofstream file(path, std::ios::binary);
			file << text_of(kind, size.bytes);
			if (!file.flush()) {
				std::cerr << "cannot write " << path << '\n';
				return 1;
			}
		}
	return 0;
}
