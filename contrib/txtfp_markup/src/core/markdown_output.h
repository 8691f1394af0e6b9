/* What markdown_to_text() writes. md4c.c includes this file (md4c.changes): functions that the compiler can put into the parser's loops instead of
 * callbacks. A failed allocation is remembered, and the parser stops at the next call of poll. C11, for MD4C is C. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "md4c.h"

enum { MARKDOWN_SLACK = 64 }; /* bytes that are free behind the text, so that short pieces are copied in one size */

typedef struct markdown_output {
	const char *source;
	size_t copyable; /* a piece that begins before this offset of the source has MARKDOWN_SLACK bytes */
	char *text;      /* by malloc(); the caller frees it */
	size_t size, capacity;
	unsigned char after_break; /* the last output was a break */
	unsigned char in_code, html_begins;
	unsigned char no_memory;
	unsigned char include_code_blocks, include_inline_code, break_to_space;
} markdown_output;

/* Writes the characters of an entity (core/markdown.cpp). */
void markdown_put_entity(markdown_output *out, const char *entity, size_t size);

static inline int markdown_output_begin(markdown_output *out, const char *source, size_t size)
{
	out->source = source;
	out->copyable = size >= MARKDOWN_SLACK ? size - MARKDOWN_SLACK + 1 : 0;
	out->size = 0;
	out->capacity = size + 2 * MARKDOWN_SLACK;
	out->after_break = 1;
	out->in_code = out->html_begins = out->no_memory = 0;
	out->text = (char *) malloc(out->capacity);
	return out->text != NULL;
}

static __attribute__((noinline)) int markdown_grow(markdown_output *out, size_t size)
{
	const size_t capacity = out->capacity + out->capacity / 2 + size;
	char *const text = (char *) realloc(out->text, capacity);
	if (text == NULL) {
		out->no_memory = 1;
		return 0;
	}
	out->text = text;
	out->capacity = capacity;
	return 1;
}

static inline void markdown_put(markdown_output *out, const char *text, size_t size)
{
	char *to;
	if (__builtin_expect(out->capacity - out->size < size + MARKDOWN_SLACK, 0) &&
		!markdown_grow(out, size + MARKDOWN_SLACK))
		return;
	to = out->text + out->size;
	/* Most pieces are short. What is copied too much is overwritten later. */
	if (size <= MARKDOWN_SLACK && (uintptr_t) text - (uintptr_t) out->source < out->copyable)
		memcpy(to, text, MARKDOWN_SLACK);
	else
		memcpy(to, text, size);
	out->size += size;
	out->after_break = 0;
}

static inline void markdown_separate(markdown_output *out)
{
	/* There are always MARKDOWN_SLACK bytes but for the blanks since the last piece, and no two blanks follow each other. */
	out->text[out->size] = ' ';
	out->size += out->break_to_space & !out->after_break;
	out->after_break |= out->break_to_space;
}

static inline int markdown_separates(MD_BLOCKTYPE type)
{
	return type == MD_BLOCK_P || type == MD_BLOCK_LI || type == MD_BLOCK_H;
}

static inline int markdown_enter(markdown_output *out, MD_BLOCKTYPE type)
{
	if (markdown_separates(type))
		markdown_separate(out);
	out->in_code = type == MD_BLOCK_CODE;
	out->html_begins = type == MD_BLOCK_HTML;
	return 0;
}

static inline int markdown_leave(markdown_output *out, MD_BLOCKTYPE type)
{
	if (markdown_separates(type) || type == MD_BLOCK_CODE)
		markdown_separate(out);
	out->in_code = 0;
	return 0;
}

/* The indentation of an HTML block is part of its text, the rest is not. */
static inline void markdown_html(markdown_output *out, const char *text, size_t size)
{
	size_t i;
	if (!out->html_begins)
		return;
	out->html_begins = 0;
	for (i = 0; i < size; ++i)
		if (text[i] != ' ')
			return;
	markdown_put(out, text, size);
}

static inline int markdown_text(markdown_output *out, MD_TEXTTYPE type, const char *text, size_t size)
{
	if (__builtin_expect(type == MD_TEXT_NORMAL, 1))
		markdown_put(out, text, size);
	else if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR)
		markdown_separate(out);
	else if (type == MD_TEXT_CODE) {
		if (out->in_code ? out->include_code_blocks : out->include_inline_code)
			markdown_put(out, text, size);
	} else if (type == MD_TEXT_HTML)
		markdown_html(out, text, size);
	else if (type == MD_TEXT_ENTITY)
		markdown_put_entity(out, text, size);
	else if (type == MD_TEXT_NULLCHAR)
		markdown_put(out, "\xEF\xBF\xBD", 3);
	else
		markdown_put(out, text, size);
	return 0;
}
