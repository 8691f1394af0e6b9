/*
 * How the core extension calls the segmenters of the extension txtfp_cjk: plain C, so that no C++ type and no exception
 * crosses between two libraries that were built apart. txtfp finds the function txtfp_cjk_interface in $libdir/txtfp_cjk.
 *
 * A change that an older txtfp or txtfp_cjk would not survive raises TXTFP_CJK_ABI; both sides refuse another number.
 */
#ifndef TXTFP_CJK_INTERFACE_H
#define TXTFP_CJK_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TXTFP_CJK_ABI 1

/* The tokenizers. Numbers are never given twice. */
enum {
	TXTFP_CJK_JIEBA = 0,
	TXTFP_CJK_JIEBA_HMM = 1,
	TXTFP_CJK_LINDERA_IPADIC = 2,
	TXTFP_CJK_LINDERA_KO_DIC = 3,
	TXTFP_CJK_TOKENIZERS = 4
};

enum {
	TXTFP_CJK_OK = 0,
	TXTFP_CJK_NO_MEMORY = 1,
	TXTFP_CJK_CANCELLED = 2,
	TXTFP_CJK_FAILED = 3,
	TXTFP_CJK_TOO_LARGE = 4 /* more than 1 GB without a place to cut */
};

typedef struct TxtfpCjkSegmenter TxtfpCjkSegmenter;

typedef struct TxtfpCjkRange {
	size_t start, end; /* bytes of the text */
} TxtfpCjkRange;

typedef struct TxtfpCjkBatch {
	size_t count;  /* ranges that were written */
	size_t next;   /* where to go on: with the same text unless finished; else what is left waits for more text */
	bool finished; /* nothing more can be said about this text */
} TxtfpCjkBatch;

typedef struct TxtfpCjkInterface {
	uint32_t abi; /* TXTFP_CJK_ABI */

	/* Makes the dictionary of a tokenizer ready in this process. Calls PostgreSQL and may raise its error. */
	void (*prepare)(int tokenizer);

	/* The rest never calls PostgreSQL. Of a tokenizer that is prepared; null: no memory. destroy takes null, too. */
	TxtfpCjkSegmenter *(*create)(int tokenizer);
	void (*destroy)(TxtfpCjkSegmenter *segmenter);

	/*
	 * The tokens of text[from, size), up to `capacity` of them. text: UTF-8, whole code points; broken bytes give some
	 * tokens. last: no text follows. stop: asked every few thousand steps, null for never. A segmenter is for one
	 * text; after anything but TXTFP_CJK_OK it can only be destroyed.
	 */
	int (*next)(TxtfpCjkSegmenter *segmenter, const char *text, size_t size, size_t from, bool last,
		TxtfpCjkRange *ranges, size_t capacity, bool (*stop)(void), TxtfpCjkBatch *batch);
} TxtfpCjkInterface;

/* The one symbol of the library: const TxtfpCjkInterface *txtfp_cjk_interface(void) */
typedef const TxtfpCjkInterface *(*TxtfpCjkInterfaceFunction)(void);

#ifdef __cplusplus
}
#endif

#endif
