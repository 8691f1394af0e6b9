# Writes N documents of about 400 characters as JSON Lines, a fifth of them near-duplicates of others: cli_corpus.py N > FILE
import random
import sys

random.seed(1)
words = ["".join(random.choices("etaoinshrdlucmfw", k=random.randint(2, 9))) for _ in range(50000)]
recent = []
out = sys.stdout
for i in range(int(sys.argv[1])):
    if i % 5 == 4:
        text = recent[(i * 7919) % len(recent)].split(" ")
        for _ in range(random.randint(0, 2)):
            text[random.randrange(len(text))] = "changed"
        text = " ".join(text)
    else:
        text = " ".join(random.choices(words, k=62))
        if len(recent) < 10000:
            recent.append(text)
        else:
            recent[i % 10000] = text
    out.write('{"id": %d, "text": "%s"}\n' % (i, text))
