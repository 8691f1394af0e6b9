#!/usr/bin/env python3
"""Pairs of texts in 14 languages for decisions: look_alikes.py [SEED [PAIRS]] > pairs.tsv

A line is: kind, language, what the pair is (look_alike or same), the text to be removed, the text that is kept; newlines are written as \\n, tabs as \\t and
backslashes as \\\\. A look-alike differs from the kept text in one fact; the others say the same, and the kept one may say more. All texts were written
for this file. test/unit/look_alikes.cpp (through its TSV) and bench/look_alikes.sh read them.
"""
import random
import sys
import unicodedata

# Of each language: sentences that stand in every text, and facts, each as (kind, sentence, the same with another fact).
LANGUAGES = {
    'en': (['The workshop lies behind the old mill and is easy to find.', 'Visitors leave their bags in the room beside the entrance.',
            'Tea is served in the garden as long as the weather allows it.', 'A friendly guide answers every question about the machines.',
            "The owner's family has worked here for three generations."],
           [('negation', 'Children can use the lathe.', "Children can't use the lathe."), ('negation', 'The tour is open to guests.', 'The tour is not open to guests.'),
            ('number', 'The ticket costs 12 coins for everybody.', 'The ticket costs 15 coins for everybody.'),
            ('date', 'The season begins on 14 March in the yard.', 'The season begins on 17 March in the yard.'),
            ('unit', 'Each crate weighs 40 kg without the lid.', 'Each crate weighs 40 lb without the lid.'),
            ('name', 'The keys are kept by Alice Morton until evening.', 'The keys are kept by Helen Morton until evening.'),
            ('exchange', 'Give 5 mg in the morning and 10 mg in the evening.', 'Give 10 mg in the morning and 5 mg in the evening.'),
            ('symbol', 'The pressure must stay < 8 bar at all times.', 'The pressure must stay > 8 bar at all times.'),
            ('item', 'Bring gloves, boots, a helmet and a lamp.', 'Bring gloves, boots, a rope and a lamp.')]),
    'de': (['Die Werkstatt liegt hinter der alten Mühle und ist leicht zu finden.', 'Besucher lassen ihre Taschen in dem Raum neben dem Eingang.',
            'Im Garten gibt es Tee, solange das Wetter es erlaubt.', 'Eine freundliche Führerin beantwortet jede Frage zu den Maschinen.',
            'Die Familie des Besitzers arbeitet hier seit drei Generationen.'],
           [('negation', 'Er hat einen Schlüssel für das Tor.', 'Er hat keinen Schlüssel für das Tor.'), ('negation', 'Die Drehbank läuft heute.', 'Die Drehbank läuft heute nicht.'),
            ('number', 'Die Karte kostet 12 Münzen für alle.', 'Die Karte kostet 18 Münzen für alle.'),
            ('date', 'Die Saison beginnt am 14. März im Hof.', 'Die Saison beginnt am 14. Mai im Hof.'),
            ('unit', 'Jede Kiste wiegt 40 kg ohne Deckel.', 'Jede Kiste wiegt 40 g ohne Deckel.'),
            ('name', 'Die Schlüssel verwahrt Frau Albrecht am Abend.', 'Die Schlüssel verwahrt Frau Neumann am Abend.'),
            ('exchange', 'Der Saal fasst 80 Stühle und der Hof 20 Stühle.', 'Der Saal fasst 20 Stühle und der Hof 80 Stühle.'),
            ('symbol', 'Der Druck bleibt immer < 8 bar.', 'Der Druck bleibt immer > 8 bar.'),
            ('item', 'Mitzubringen sind Handschuhe, Stiefel, Helm und Lampe.', 'Mitzubringen sind Handschuhe, Stiefel, Seil und Lampe.')]),
    'fr': (["L'atelier se trouve derrière le vieux moulin et se repère sans peine.", 'Les visiteurs laissent leurs sacs dans la salle à côté du portail.',
            'Le thé est servi au jardin tant que le temps le permet.', "Une guide répond volontiers à toutes les questions sur les machines.",
            'La famille du propriétaire travaille ici depuis trois générations.'],
           [('negation', 'Les enfants utilisent le tour.', "Les enfants n'utilisent pas le tour."), ('negation', 'Il garde une clé du portail.', 'Il ne garde aucune clé du portail.'),
            ('number', 'Le billet coûte 12 pièces pour tous.', 'Le billet coûte 19 pièces pour tous.'),
            ('date', 'La saison débute le 14 mars dans la cour.', 'La saison débute le 14 juin dans la cour.'),
            ('unit', 'Chaque caisse pèse 40 kg sans couvercle.', 'Chaque caisse pèse 40 t sans couvercle.'),
            ('name', 'Les clés restent chez Madame Delorme le soir.', 'Les clés restent chez Madame Garnier le soir.'),
            ('exchange', 'La salle reçoit 80 chaises et la cour 20 chaises.', 'La salle reçoit 20 chaises et la cour 80 chaises.'),
            ('symbol', 'La pression reste toujours < 8 bar.', 'La pression reste toujours ≥ 8 bar.'),
            ('item', 'Apportez des gants, des bottes, un casque et une lampe.', 'Apportez des gants, des bottes, une corde et une lampe.')]),
    'es': (['El taller está detrás del viejo molino y se encuentra fácilmente.', 'Los visitantes dejan sus bolsas en la sala junto a la entrada.',
            'El té se sirve en el jardín mientras el tiempo lo permite.', 'Una guía amable contesta cada pregunta sobre las máquinas.',
            'La familia del dueño trabaja aquí desde hace tres generaciones.'],
           [('negation', 'El niño usa el torno.', 'El niño no usa el torno.'), ('negation', 'Queda algún puesto libre.', 'No queda ningún puesto libre.'),
            ('number', 'La entrada cuesta 12 monedas para todos.', 'La entrada cuesta 16 monedas para todos.'),
            ('date', 'La temporada empieza el 14 de marzo en el patio.', 'La temporada empieza el 24 de marzo en el patio.'),
            ('unit', 'Cada caja pesa 40 kg sin tapa.', 'Cada caja pesa 40 mg sin tapa.'),
            ('name', 'Las llaves las guarda Carmen Ortega por la noche.', 'Las llaves las guarda Carmen Robles por la noche.'),
            ('exchange', 'La sala tiene 80 sillas y el patio 20 sillas.', 'La sala tiene 20 sillas y el patio 80 sillas.'),
            ('symbol', 'La presión queda siempre < 8 bar.', 'La presión queda siempre = 8 bar.'),
            ('item', 'Traiga guantes, botas, un casco y una lámpara.', 'Traiga guantes, botas, una cuerda y una lámpara.')]),
    'it': (['La bottega sta dietro il vecchio mulino e si trova facilmente.', "I visitatori lasciano le borse nella stanza accanto all'ingresso.",
            'Il tè viene servito in giardino finché il tempo lo permette.', 'Una guida gentile risponde a ogni domanda sulle macchine.',
            'La famiglia del padrone lavora qui da tre generazioni.'],
           [('negation', 'Il ragazzo usa il tornio.', 'Il ragazzo non usa il tornio.'), ('negation', 'Resta qualche posto libero.', 'Non resta nessun posto libero.'),
            ('number', 'Il biglietto costa 12 monete per tutti.', 'Il biglietto costa 11 monete per tutti.'),
            ('date', 'La stagione inizia il 14 marzo nel cortile.', 'La stagione inizia il 14 luglio nel cortile.'),
            ('unit', 'Ogni cassa pesa 40 kg senza coperchio.', 'Ogni cassa pesa 40 q senza coperchio.'),
            ('name', 'Le chiavi le tiene Lucia Ferri di sera.', 'Le chiavi le tiene Paola Ferri di sera.'),
            ('exchange', 'La sala ha 80 sedie e il cortile 20 sedie.', 'La sala ha 20 sedie e il cortile 80 sedie.'),
            ('symbol', 'La pressione resta sempre < 8 bar.', 'La pressione resta sempre > 8 bar.'),
            ('item', 'Portate guanti, stivali, un casco e una lampada.', 'Portate guanti, stivali, una corda e una lampada.')]),
    'pt': (['A oficina fica atrás do velho moinho e é fácil de achar.', 'Os visitantes deixam as bolsas na sala ao lado da entrada.',
            'O chá é servido no jardim enquanto o tempo permite.', 'Uma guia simpática responde a cada pergunta sobre as máquinas.',
            'A família do dono trabalha aqui há três gerações.'],
           [('negation', 'O rapaz usa o torno.', 'O rapaz não usa o torno.'), ('negation', 'Ela lava a bancada.', 'Ela nunca lava a bancada.'),
            ('number', 'O bilhete custa 12 moedas para todos.', 'O bilhete custa 13 moedas para todos.'),
            ('date', 'A temporada começa em 14 de março no pátio.', 'A temporada começa em 14 de abril no pátio.'),
            ('unit', 'Cada caixa pesa 40 kg na balança.', 'Cada caixa pesa 40 lb na balança.'),
            ('name', 'As chaves ficam com Teresa Lobo de noite.', 'As chaves ficam com Teresa Prado de noite.'),
            ('exchange', 'A sala tem 80 cadeiras e o pátio 20 cadeiras.', 'A sala tem 20 cadeiras e o pátio 80 cadeiras.'),
            ('symbol', 'A pressão fica sempre < 8 bar.', 'A pressão fica sempre > 8 bar.'),
            ('item', 'Tragam luvas, botas, um capacete e uma lanterna.', 'Tragam luvas, botas, uma corda e uma lanterna.')]),
    'nl': (['De werkplaats ligt achter de oude molen en is makkelijk te vinden.', 'Bezoekers laten hun tassen in de kamer naast de ingang.',
            'Thee wordt in de tuin geschonken zolang het weer het toelaat.', 'Een vriendelijke gids beantwoordt elke vraag over de machines.',
            'De familie van de eigenaar werkt hier al drie generaties.'],
           [('negation', 'Hij heeft een sleutel van de poort.', 'Hij heeft geen sleutel van de poort.'), ('negation', 'De draaibank werkt vandaag.', 'De draaibank werkt vandaag niet.'),
            ('number', 'Het kaartje kost 12 munten voor iedereen.', 'Het kaartje kost 14 munten voor iedereen.'),
            ('date', 'Het seizoen begint op 14 maart op het plein.', 'Het seizoen begint op 14 augustus op het plein.'),
            ('unit', 'Elke kist weegt 40 kg met deksel.', 'Elke kist weegt 40 g met deksel.'),
            ('name', 'De sleutels bewaart mevrouw Bakker in de avond.', 'De sleutels bewaart mevrouw Visser in de avond.'),
            ('exchange', 'De zaal heeft 80 stoelen en het plein 20 stoelen.', 'De zaal heeft 20 stoelen en het plein 80 stoelen.'),
            ('symbol', 'De druk blijft altijd < 8 bar.', 'De druk blijft altijd > 8 bar.'),
            ('item', 'Breng handschoenen, laarzen, een helm en een lamp mee.', 'Breng handschoenen, laarzen, een touw en een lamp mee.')]),
    'pl': (['Warsztat leży za starym młynem i łatwo go znaleźć.', 'Goście zostawiają torby w pokoju obok wejścia.',
            'Herbatę podaje się w ogrodzie, dopóki pogoda na to pozwala.', 'Uprzejma przewodniczka odpowiada na każde pytanie o maszyny.',
            'Rodzina właściciela pracuje tutaj od trzech pokoleń.'],
           [('negation', 'Chłopiec używa tokarki.', 'Chłopiec nie używa tokarki.'), ('negation', 'Brama jest bezpieczna.', 'Brama jest niebezpieczna.'),
            ('number', 'Bilet kosztuje 12 monet dla każdego.', 'Bilet kosztuje 17 monet dla każdego.'),
            ('date', 'Sezon zaczyna się 14 marca na podwórzu.', 'Sezon zaczyna się 14 maja na podwórzu.'),
            ('unit', 'Każda skrzynia waży 40 kg z pokrywą.', 'Każda skrzynia waży 40 dag z pokrywą.'),
            ('name', 'Klucze przechowuje pani Nowicka wieczorem.', 'Klucze przechowuje pani Górska wieczorem.'),
            ('exchange', 'Sala ma 80 krzeseł, a podwórze 20 krzeseł.', 'Sala ma 20 krzeseł, a podwórze 80 krzeseł.'),
            ('symbol', 'Ciśnienie wynosi zawsze < 8 bar.', 'Ciśnienie wynosi zawsze > 8 bar.'),
            ('item', 'Proszę zabrać rękawice, buty, kask i lampę.', 'Proszę zabrać rękawice, buty, linę i lampę.')]),
    'ru': (['Мастерская стоит за старой мельницей, и найти её легко.', 'Посетители оставляют сумки в комнате рядом со входом.',
            'Чай подают в саду, пока позволяет погода.', 'Приветливая сотрудница отвечает на каждый вопрос о станках.',
            'Семья хозяина работает здесь уже три поколения.'],
           [('negation', 'Мальчик включает станок.', 'Мальчик не включает станок.'), ('negation', 'Лестница безопасна.', 'Лестница небезопасна.'),
            ('number', 'Билет стоит 12 монет для всех.', 'Билет стоит 15 монет для всех.'),
            ('date', 'Сезон начинается 14 марта во дворе.', 'Сезон начинается 14 июня во дворе.'),
            ('unit', 'Каждый ящик весит 40 кг с крышкой.', 'Каждый ящик весит 40 г с крышкой.'),
            ('name', 'Ключи хранит Анна Белова по вечерам.', 'Ключи хранит Анна Сомова по вечерам.'),
            ('exchange', 'В зале 80 стульев, а во дворе 20 стульев.', 'В зале 20 стульев, а во дворе 80 стульев.'),
            ('symbol', 'Давление всегда < 8 бар.', 'Давление всегда > 8 бар.'),
            ('item', 'Возьмите перчатки, сапоги, каску и фонарь.', 'Возьмите перчатки, сапоги, верёвку и фонарь.')]),
    'tr': (['Atölye eski değirmenin arkasındadır ve kolayca bulunur.', 'Ziyaretçiler çantalarını girişin yanındaki odaya bırakır.',
            'Hava elverdikçe bahçede çay ikram edilir.', 'Güler yüzlü rehber makineler hakkındaki her soruyu yanıtlar.',
            'Sahibinin ailesi üç kuşaktır burada çalışır.'],
           [('negation', 'Usta dün geldi.', 'Usta dün gelmedi.'), ('negation', 'Kapı güvenlidir.', 'Kapı güvenli değildir.'),
            ('number', 'Bilet herkes için 12 akçedir.', 'Bilet herkes için 16 akçedir.'),
            ('date', 'Sezon avluda 14 Mart günü açılır.', 'Sezon avluda 14 Mayıs günü açılır.'),
            ('unit', 'Her sandık kapakla 40 kg gelir.', 'Her sandık kapakla 40 gr gelir.'),
            ('name', 'Anahtarlar akşamları Ayşe Demir tarafından saklanır.', 'Anahtarlar akşamları Ayşe Yılmaz tarafından saklanır.'),
            ('exchange', 'Salonda 80 sandalye, avluda 20 sandalye var.', 'Salonda 20 sandalye, avluda 80 sandalye var.'),
            ('symbol', 'Basınç her zaman < 8 bar olur.', 'Basınç her zaman > 8 bar olur.'),
            ('item', 'Eldiven, çizme, baret ve lamba getirin.', 'Eldiven, çizme, halat ve lamba getirin.')]),
    'zh': (['作坊在老磨坊的后面，很容易找到。', '参观者把包放在入口旁边的房间里。', '天气好的时候，花园里供应茶水。', '热情的讲解员回答每个关于机器的问题。', '主人一家三代都在这里工作。'],
           [('negation', '孩子可以使用车床。', '孩子不可以使用车床。'), ('negation', '大门今天开放。', '大门今天没有开放。'),
            ('number', '门票每人12枚硬币。', '门票每人15枚硬币。'), ('date', '季节从3月14日开始。', '季节从5月14日开始。'),
            ('unit', '每个箱子重40公斤。', '每个箱子重40公吨。'), ('name', '钥匙晚上由王丽保管。', '钥匙晚上由张丽保管。'),
            ('exchange', '大厅有80把椅子，院子有20把椅子。', '大厅有20把椅子，院子有80把椅子。'),
            ('symbol', '压力始终 < 8 巴。', '压力始终 > 8 巴。'), ('item', '请带手套、靴子、头盔和灯。', '请带手套、靴子、绳子和灯。')]),
    'ja': (['工房は古い水車小屋の裏にあり、すぐに見つかります。', '見学の方は荷物を入口の横の部屋に置きます。', '天気がよければ庭でお茶が出ます。', '親切な案内係が機械についての質問に答えます。',
            '主人の家族は三代にわたってここで働いています。'],
           [('negation', '子どもは旋盤を使えます。', '子どもは旋盤を使えません。'), ('negation', '門は今日開いている。', '門は今日開いていない。'),
            ('number', '入場料は12枚です。', '入場料は15枚です。'), ('date', '季節は3月14日に始まります。', '季節は6月14日に始まります。'),
            ('unit', '箱の重さは40キロです。', '箱の重さは40トンです。'), ('name', '鍵は夜に田中さんが預かります。', '鍵は夜に山田さんが預かります。'),
            ('exchange', '広間には80脚、中庭には20脚の椅子があります。', '広間には20脚、中庭には80脚の椅子があります。'),
            ('symbol', '圧力は常に < 8 バールです。', '圧力は常に > 8 バールです。'), ('item', '手袋、長靴、帽子、灯りを持ってきてください。', '手袋、長靴、縄、灯りを持ってきてください。')]),
    'ar': (['تقع الورشة خلف الطاحونة القديمة ويسهل العثور عليها.', 'يترك الزوار حقائبهم في الغرفة المجاورة للمدخل.', 'يقدم الشاي في الحديقة ما دام الطقس جميلا.',
            'تجيب المرشدة اللطيفة عن كل سؤال حول الآلات.', 'تعمل عائلة المالك هنا منذ ثلاثة أجيال.'],
           [('negation', 'يستعمل الأولاد المخرطة.', 'لا يستعمل الأولاد المخرطة.'), ('negation', 'الباب آمن.', 'الباب غير آمن.'),
            ('number', 'ثمن التذكرة 12 قطعة للجميع.', 'ثمن التذكرة 15 قطعة للجميع.'), ('date', 'يبدأ الموسم في 14 مارس في الفناء.', 'يبدأ الموسم في 14 مايو في الفناء.'),
            ('unit', 'يزن كل صندوق 40 كيلوغراما.', 'يزن كل صندوق 40 طنا.'), ('name', 'تحفظ المفاتيح عند السيدة سلمى مساء.', 'تحفظ المفاتيح عند السيدة هدى مساء.'),
            ('exchange', 'في القاعة 80 كرسيا وفي الفناء 20 كرسيا.', 'في القاعة 20 كرسيا وفي الفناء 80 كرسيا.'),
            ('symbol', 'يبقى الضغط دائما < 8 بار.', 'يبقى الضغط دائما > 8 بار.'), ('item', 'أحضروا قفازات وأحذية وخوذة ومصباحا.', 'أحضروا قفازات وأحذية وحبلا ومصباحا.')]),
    'hi': (['कार्यशाला पुरानी चक्की के पीछे है और आसानी से मिल जाती है।', 'आगंतुक अपने थैले प्रवेश के पास वाले कमरे में रखते हैं।', 'मौसम अच्छा हो तो बगीचे में चाय मिलती है।',
            'एक विनम्र मार्गदर्शक मशीनों के बारे में हर प्रश्न का उत्तर देती है।', 'मालिक का परिवार तीन पीढ़ियों से यहाँ काम करता है।'],
           [('negation', 'बच्चे खराद चला सकते हैं।', 'बच्चे खराद नहीं चला सकते हैं।'), ('negation', 'दरवाज़ा आज खुला है।', 'दरवाज़ा आज खुला नहीं है।'),
            ('number', 'टिकट सबके लिए 12 सिक्के का है।', 'टिकट सबके लिए 15 सिक्के का है।'), ('date', 'मौसम आँगन में 14 मार्च से शुरू होता है।', 'मौसम आँगन में 14 जून से शुरू होता है।'),
            ('unit', 'हर पेटी का वज़न 40 किलो है।', 'हर पेटी का वज़न 40 टन है।'), ('name', 'चाबियाँ शाम को मीरा वर्मा के पास रहती हैं।', 'चाबियाँ शाम को लता वर्मा के पास रहती हैं।'),
            ('exchange', 'हॉल में 80 कुर्सियाँ और आँगन में 20 कुर्सियाँ हैं।', 'हॉल में 20 कुर्सियाँ और आँगन में 80 कुर्सियाँ हैं।'),
            ('symbol', 'दबाव हमेशा < 8 बार रहता है।', 'दबाव हमेशा > 8 बार रहता है।'), ('item', 'दस्ताने, जूते, टोपी और लालटेन लाइए।', 'दस्ताने, जूते, रस्सी और लालटेन लाइए।')]),
}
UNSPACED = {'zh', 'ja'}
SAME = ('copy', 'spacing', 'case', 'typography', 'invisible', 'more_before', 'more_after')


def join(language, sentences):
    return ('' if language in UNSPACED else ' ').join(sentences)


def typography(text, rng):
    text = text.replace("'", '’')
    words = text.split(' ')
    if len(words) > 4:
        i = rng.randrange(1, len(words) - 1)
        words[i] = words[i]
    text = ' '.join(words)
    return text.replace(' - ', rng.choice((' – ', '—', ' — ')))


def quoted(sentences, language):
    """Gives a sentence straight quotes and a dash, so that typography has something to change."""
    out = list(sentences)
    out[0] = '"' + out[0] + '"'
    if language not in UNSPACED:
        words = out[1].split(' ')
        out[1] = ' '.join(words[:2] + ['-'] + words[2:])
    return out


def curly(text, language):
    opening, closing = {'de': '„“', 'pl': '„”', 'fr': '«»', 'ru': '«»'}.get(language, '“”')
    parts = text.split('"')
    return parts[0] + ''.join((opening if i % 2 else closing) + part for i, part in enumerate(parts[1:], 1))


def invisible(text, rng):
    way = rng.randrange(3)
    if way == 0:
        return unicodedata.normalize('NFD', text) if text.isascii() is False else text.replace('a', 'a\u200b', 1)
    mark = '\u00ad' if way == 1 else '\u200b'
    places = [i for i in range(1, len(text)) if text[i].isalpha() and text[i - 1].isalpha() and not unicodedata.combining(text[i])
              and ord(text[i]) < 0x0900 and not 0x590 < ord(text[i]) < 0x700] or [0]
    for i in sorted(rng.sample(places, min(4, len(places))), reverse=True):
        text = text[:i] + mark + text[i:]
    return '\ufeff' + text


def spacing(text, rng):
    out = []
    for c in text:
        out.append(rng.choice((' ', '  ', '\n', '\t', '\u00a0')) if c == ' ' and rng.random() < 0.4 else c)
    return ''.join(out) + '\n'


def more(language, rng, used):
    return join(language, [s for s in LANGUAGES[language][0] if s not in used][:1] or [LANGUAGES[language][0][0]])


def pair(language, kind, rng):
    fillers, facts = LANGUAGES[language]
    sentences = fillers[:4] + [f[1] for f in facts]
    rng.shuffle(sentences)
    if kind in SAME:
        if kind == 'typography':
            sentences = quoted(sentences, language)
        a = b = join(language, sentences)
        extra = fillers[4]
        if kind == 'spacing':
            a = spacing(a, rng) if language not in UNSPACED else a.replace('。', '。\n')
        elif kind == 'case':
            a = a.upper() if language not in ('tr', 'de') else a[0].lower() + a[1:]
        elif kind == 'typography':
            a = curly(typography(a, rng), language)
        elif kind == 'invisible':
            a = invisible(a, rng)
        elif kind == 'more_before':
            b = extra + rng.choice((' ', '\n', '\n\n')) + b
        elif kind == 'more_after':
            b = b + rng.choice((' ', '\n', '\n\n')) + extra
        return 'same', a, b
    fact = rng.choice([f for f in facts if f[0] == kind])
    other = [fact[2] if s == fact[1] else s for s in sentences]
    texts = [join(language, sentences), join(language, other)]
    rng.shuffle(texts)
    return 'look_alike', texts[0], texts[1]


def escape(text):
    return text.replace('\\', '\\\\').replace('\n', '\\n').replace('\t', '\\t')


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    kinds = ('negation', 'number', 'date', 'unit', 'name', 'exchange', 'symbol', 'item', *SAME)
    for _ in range(rounds):
        for language in LANGUAGES:
            for kind in kinds:
                what, a, b = pair(language, kind, rng)
                print(kind, language, what, escape(a), escape(b), sep='\t')


if __name__ == '__main__':
    main()
