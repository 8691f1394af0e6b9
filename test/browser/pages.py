"""The texts that the pages of the test show: families of documents as they stand in real collections."""

import random

LANGUAGES = ["Welsh", "Arabic", "Basque", "Danish", "Estonian", "Galician", "Hindi", "Irish", "Khmer", "Latvian"]
TOWNS = ["Bergen", "Cork", "Delft", "Essen", "Faro", "Graz", "Hull", "Izmir"]
PARAGRAPH = (
    "The harbour office keeps the log of every ship that has called since the breakwater was finished. Pilots read it before they "
    "go out, because the bar moves after each winter gale and the buoys are moved with it. A copy is sent to the observatory at "
    "the end of the month, where the tides are compared with those that were computed a year before."
)


def dictionary(language):
    return (
        f"{language} dictionary for the spell checker\n\nThis package contains all the files that are needed to check the spelling of texts in "
        f"{language}: the list of words, the rules of affixes, and the table of common mistakes. It works with every program that reads "
        "dictionaries of this form, for example mail programs, editors and web browsers."
    )


def invoice(town, amount, day):
    return (
        f"Invoice 2024-{amount}\nDate: {day} March 2024\n\nFor the maintenance of the street lamps in {town} we charge {amount}.50 EUR, payable within "
        "thirty days of the date above without deduction. The work was done according to the contract and accepted by the municipality. "
        "Please quote the number of the invoice."
    )


def manual(version, words):
    return (
        f"Reference manual, version {version}\n\nThe interpreter reads a program, compiles it to instructions of a register machine, and runs these. {PARAGRAPH} "
        f"Numbers are {words}. Strings are immutable sequences of bytes. {PARAGRAPH.replace('harbour', 'library')}"
    )


def families():
    """(id, kept id, text, kept text, outcome, reason) of removals that look like what deduplicate plans."""
    rows = []

    def add(row, kept, text, kept_text, outcome="remove", reason="jaccard"):
        rows.append((row, kept, text, kept_text, outcome, reason))

    for i, language in enumerate(LANGUAGES[1:]):
        add(102 + i, 101, dictionary(language), dictionary(LANGUAGES[0]), "review" if i < 3 else "remove", "repeated" if i < 3 else "jaccard")
    for i, town in enumerate(TOWNS[1:]):
        add(202 + i, 201, invoice(town, 1207 + 31 * i, 4 + i), invoice(TOWNS[0], 1176, 3), "review", "number")
    for i, version in enumerate(["5.2", "5.3", "5.4"]):
        add(302 + i, 301 + i, manual(version, ["doubles", "integers or doubles"][i > 0]), manual(["5.1", "5.2", "5.3"][i], ["doubles", "integers or doubles"][i > 1]))
    # A chain: each text has half of the one before.
    parts = [" ".join(random.Random(f"{i}").sample(PARAGRAPH.split(), 40)) for i in range(9)]
    for i in range(5):
        add(402 + i, 401 + i, " ".join(parts[i + 1 : i + 4]), " ".join(parts[i : i + 3]))
    add(502, 501, "A compiler for C++, with its library.", "A compiler for C, with its library.", "review", "symbol")
    add(504, 503, PARAGRAPH.replace("Pilots", "PILOTS").replace("  ", " "), PARAGRAPH, "remove", "equal")
    add(506, 505, "You may use this program under version 2 of the licence, or any later version.", "You may use this program under version 2 of the licence only.", "review", "scope")
    add(508, 507, "\u05de\u05d3\u05e8\u05d9\u05da \u05dc\u05de\u05e9\u05ea\u05de\u05e9, \u05de\u05d4\u05d3\u05d5\u05e8\u05d4 2 (draft)", "\u05de\u05d3\u05e8\u05d9\u05da \u05dc\u05de\u05e9\u05ea\u05de\u05e9, \u05de\u05d4\u05d3\u05d5\u05e8\u05d4 3 (final)")
    add(510, 509, "\u4eca\u65e5\u306f\u6674\u308c\u3067\u3059\u3002\u660e\u65e5\u306f\u96e8\u3067\u3057\u3087\u3046\u3002 \U0001f469\u200d\U0001f469\u200d\U0001f467", "\u4eca\u65e5\u306f\u66c7\u308a\u3067\u3059\u3002\u660e\u65e5\u306f\u96e8\u3067\u3057\u3087\u3046\u3002 \U0001f469\u200d\U0001f469\u200d\U0001f467")
    add(512, 511, "The balance is \u202e001 EUR\u202c as agreed.", "The balance is 100 EUR as agreed.")
    for i in range(30):
        text = f"Minutes of meeting {i}. {PARAGRAPH} The next meeting is in room {i % 7 + 1}."
        add(602 + 2 * i, 601 + 2 * i, text + " " + PARAGRAPH, text.replace("gale", "storm") + " " + PARAGRAPH if i % 3 else text)
    return rows


# Texts that try to become markup, code, or something else than they are.
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "</SCRIPT ><svg/onload=alert(3)>",
    "<!--<script>alert(4)",
    "--><img src=x onerror=alert(5)>",
    "]]><iframe srcdoc='<script>parent.alert(6)</script>'>",
    "\"}]; alert(7); //",
    "\\\"}];alert(8)//",
    "\\u003cscript>alert(9)\\u003c/script>",
    "${alert(10)}`;alert(10)//",
    "{{constructor.constructor('alert(11)')()}} <%= alert(11) %>",
    "javascript:alert(12)",
    "' onfocus=alert(13) autofocus='",
    "<a href=\"javascript:alert(14)\">x</a>",
    "<style>*{display:none}</style>",
    "<base href=\"https://example.invalid/\">",
    "<meta http-equiv=refresh content=\"0;url=https://example.invalid/\">",
    "<link rel=stylesheet href=https://example.invalid/x.css>",
    "<form action=https://example.invalid/><input name=a></form>",
    "__proto__",
    "constructor",
    "\u2028alert(15)\u2029",
    "\u202egnp.exe\u202c \u2066admin\u2069 \u200b\u200d\ufeff\u00ad",
    "\x01\x02\x1b[31m\x7f\x85",
    "\U000e0041\U000e0042 \U0010ffff \ufffe",
    "&lt;script&gt;alert(16)&lt;/script&gt; &#60;b&#62;",
    "<details open ontoggle=alert(17)>",
    "'; DROP TABLE review_labels; --",
    "\\'; DROP TABLE review_labels; --",
    "$$; DROP TABLE review_labels; $$",
]
