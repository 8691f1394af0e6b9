// Help texts of at most 24 lines and 80 columns; the manual page has the rest.
#pragma once

namespace txtfp::cli {

constexpr const char *main_help = R"(usage: txtfp COMMAND [OPTION]... [FILE]
Text fingerprints and near-duplicates of files, as the PostgreSQL extension
txtfp computes them, without a server.

  fingerprint     a fingerprint for each record: as text, JSON, or for COPY
  pairs           the near-duplicate pairs of a file
  clusters        its clusters
  dedup           which records can go, and the file without them
  passages        what of the texts stands in an earlier record
  compare A B     how similar two files are, and which passages they share
  review          a page on which a person decides what may be deleted

"txtfp COMMAND --help" lists the options of a command; "man txtfp" has more.
  -h, --help      this text
  -V, --version
Files are JSON Lines, TSV, CSV or lines, plain or as gzip, zstd, xz or bzip2;
a folder stands for the files in it and below, in the order of their names;
"-" is standard input or output. Exit status: 0 done, 1 failed, 2 wrong usage,
130 interrupted.
)";

constexpr const char *fingerprint_help = R"(usage: txtfp fingerprint [OPTION]... [FILE]
  -f, --format jsonl|tsv|csv|lines  by the name of FILE; standard input: jsonl
      --id F, --text F     fields: name, JSON pointer or number (id, text; 1, 2)
      --line-ids           the number of the record is its id
      --header             the first record of TSV or CSV names the fields
      --delimiter C        between fields (tab; comma)
      --skip-errors        leave broken records out instead of stopping
      --max-record SIZE    a longer record is broken (64M)
      --max-window SIZE    memory for decompressing (2G)
  -k, --kind KIND          minhash64, minhash128 (default), minhash256, each
                           also with _compact, simhash64, tlsh, lavinhash
      --tokenizer T        (shingle-k=5/word-uax29; simhash64: shingle-k=2/...)
      --canonicalizer C    (nfkc-cf-simple-bidi-fmt)
      --hash H, --seed N   (xxh3-64, 828927532781)
      --weighting W        of simhash64: tf or uniform (tf)
  -t, --to tsv|csv|jsonl|copy        copy: for \copy ... (format binary)
      --id-type TYPE       of copy: bigint, integer, text, uuid (bigint)
      --no-header          none before TSV and CSV
  -o, --output FILE, -j, --threads N        (-, all)
  -q, --quiet              no progress, no counts
      --force              the output may replace the input, or be a terminal
  -h, --help
)";

constexpr const char *join_help = R"(usage: txtfp %s [OPTION]... [FILE]
  -f, --format F, --id F, --text F, --line-ids, --header, --delimiter C,
      --skip-errors, --max-record SIZE, --max-window SIZE, -k, --kind K,
      --tokenizer T, --canonicalizer C, --hash H, --seed N, --weighting W,
      --no-header, --force, -o, --output FILE, -j, --threads N, -q, --quiet
                           as "txtfp fingerprint --help" says
      --threshold X        least similarity of minhash* (0.8)%s
      --max-distance N     greatest distance of simhash64 (7) and tlsh (40)
      --min-score N        least score of lavinhash, 0 to 100 (80)
      --recall X           least share of the minhash* pairs at the threshold
                           that is found (0.99)
      --bands N, --rows N  instead of --recall
      --fingerprints       the text field holds fingerprints as text
      --allow-duplicate-ids    of several records
  -t, --to tsv|csv|jsonl   (tsv)
      --memory SIZE        512M, 4G (half of the machine's)
      --temporary DIR      for what does not fit ($TMPDIR, /var/tmp)
%s  -h, --help
)";
constexpr const char *clusters_help = R"(      --mode components|star|complete   star: every member is similar to the
                           centre; complete: all are to each other
      --max-size N         larger clusters are cut
      --apart FILE, --together FILE   pairs, fields a and b, that are decided
      --keep FILE          the input without its duplicates
      --priority F         field: the greatest number of a cluster is kept
)";

constexpr const char *dedup_help = R"(usage: txtfp dedup [OPTION]... [FILE]
Which records can go: each is similar to one that is kept, an exact comparison
of both texts confirms it, and no guard objects.

      --threshold X        least similarity (0.8)
      --verify V           jaccard (default), containment, lossless, none
      --verify-threshold X least value of V (that of --threshold)
      --guard LIST         balanced (default), strict, none, or of symbol,
                           number, name, repeated, two_sided, scope,
                           first_line, neighbours, statement
      --rule FILE, --min-precision X   a rule of decision_rule (JSON)
      --apart FILE, --together FILE   pairs, fields a and b, that are decided
      --priority F         field: the record with the greatest number is kept
      --keep FILE          the input without the records that can go
      --review FILE        a page of HTML on which a person decides
  -k, --kind K             minhash64, minhash128 (default), minhash256; _compact
  -f, --format F, --id F, --text F, --line-ids, --header, --delimiter C,
      --skip-errors, --max-record SIZE, --max-window SIZE, --tokenizer T,
      --canonicalizer C, --hash H, --seed N, --no-header, --force,
      -o, --output FILE, -j, --threads N, -q, --quiet, -t, --to F
                           as "txtfp fingerprint --help" says
      --recall X, --bands N, --rows N, --allow-duplicate-ids, --memory SIZE,
  -h, --help, --temporary DIR   as "txtfp clusters --help" says
)";

constexpr const char *passages_help = R"(usage: txtfp passages [OPTION]... [FILE]
What of each text stands in an earlier record, of a higher priority or a lesser
id: id, start, length, and where it is kept: kept, kept_start. The first
occurrence is never among them. Places are characters, from 1.

      --unit U             paragraph (default), line, or word: runs of words at
                           any place
      --min-words N        least words of a run (50), of a line or paragraph (5)
      --before FILE        of the same format: only what stands in it is found
      --keep FILE          id and text of each record, the text without what
                           stands in an earlier one
      --mark T             stands in that text for each passage
      --priority F         field: a greater number is earlier
      --group F            field: only records of the same group are compared
  -f, --format F, --id F, --text F, --line-ids, --header, --delimiter C,
      --skip-errors, --max-record SIZE, --max-window SIZE, --tokenizer T,
      --canonicalizer C, --no-header, --force, -o, --output FILE,
      -j, --threads N, -q, --quiet, -t, --to F
                           as "txtfp fingerprint --help" says
      --allow-duplicate-ids, --memory SIZE, --temporary DIR, -h, --help
                           as "txtfp clusters --help" says
)";

constexpr const char *compare_help = R"(usage: txtfp compare [OPTION]... A B
All measures of similarity of two texts, and the passages that they share.

      --min-words N        least words of a shared passage (5)
      --tokenizer T        what sets are made of (shingle-k=5/word-uax29)
      --canonicalizer C    (nfkc-cf-simple-bidi-fmt)
      --hash H, --seed N   of minhash* and simhash64
      --json               one object
  -o, --output FILE        (-)
      --force              the output may replace A or B
  -h, --help
)";

constexpr const char *review_help = R"(usage: txtfp review [OPTION]... [FILE]
A page of HTML on which a person decides about planned removals. FILE has the
fields id, kept, text, kept_text, and as wanted outcome, reason, stratum,
verdict, signals, similarity, jaccard, containment, kept_containment, score.

      --texts FILE         the texts, by id; the other file is then one of
                           "txtfp clusters" or "txtfp pairs", or id and kept
      --id F, --text F     fields of that FILE: name, JSON pointer or number
      --line-ids, --header, --texts-format F
                           of that FILE, as "txtfp fingerprint --help" says
      --labels FILE        labels that a page has exported (TSV, JSON Lines)
      --show F             a further field to show; may be repeated
      --title T            (Planned removals)
      --pairs N, --seed N  of more than N removals, a sample (10000, 0)
  -f, --format jsonl|tsv|csv, --delimiter C, --skip-errors, --max-record SIZE,
      --max-window SIZE
      --temporary DIR      for the texts of --texts ($TMPDIR, /var/tmp)
  -o, --output FILE        (-)
  -q, --quiet, --force, -h, --help
)";

} // namespace txtfp::cli
