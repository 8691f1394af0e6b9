-- Volatility, strictness, parallel safety and comment of each function
SELECT p.oid::regprocedure AS function, p.provolatile AS volatile, p.proisstrict AS strict, p.proparallel AS parallel,
	obj_description(p.oid) IS NOT NULL AS commented
FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'txtfp_markup' ORDER BY 1;

-- The form for reading
SELECT html_to_text('<h1>Title</h1><p>One <b>bold</b> <em>word</em>, <s>none</s>.</p><script>cut()</script><p>x<sup>2</sup></p>');
SELECT html_to_text('<ul><li>one<li>two<ol start=9><li>a<li>b</ol></ul><blockquote>said<p>again</blockquote><pre>  kept
	so</pre>');
SELECT html_to_text('See <a href="/a">this</a> and <a href="/b?x=1&amp;y=2">that</a>.');
SELECT html_to_text('<table><tr><th>Name<th>Size<tr><td rowspan=2>both<td>1<tr><td>22<tr><td colspan=2>below</table>');
SELECT html_to_text('<select><p>in it</select><dialog>d</dialog>'), html_to_text('') = '' AS empty;
-- rowspan 0 counts as 1
SELECT html_to_text('<table><tr><td rowspan=0>a<td>b<tr><td>c<td>d</table>');

-- The words alone
SELECT html_to_plain_text('<head><title>no</title></head><h1>Title</h1><p>One <b>bo</b>ld <em>word</em> <a href="/a">link</a>
	over two lines.<table><tr><td>a<td>b<tr><td>c<td>d</table><ul><li>i<li>j</ul><p hidden>no<style>p{}</style><svg><title>no</title></svg>
	<img src=i alt=no>end');
SELECT html_to_plain_text('') = '' AS empty;

-- Markdown
SELECT markdown_to_text(E'# Title\n\nSome *text* with `code`, [a link](/url "t") &copy; &#x41;\nand a break.\n\n    indented\n\n* a\n* b\n\n<b>raw</b>');
SELECT markdown_to_text(E'text `code` end\n\n```sql\nblock\n```\n', include_code_blocks => false),
	markdown_to_text(E'text `code` end\n\n```sql\nblock\n```\n', include_inline_code => false),
	markdown_to_text(E'alpha\nbeta\n\ngamma', break_to_space => false);
SELECT markdown_to_text('**a£**b'), markdown_to_text('<!--> shown -->');

-- NULL and empty input
SELECT html_to_text(NULL) IS NULL AS html, html_to_plain_text(NULL) IS NULL AS plain, markdown_to_text(NULL) IS NULL AS markdown;

-- Limits: the error names the byte
DO $$
BEGIN
	PERFORM html_to_text(repeat('<div>', 20000));
EXCEPTION WHEN program_limit_exceeded THEN
	RAISE NOTICE '% %', SQLSTATE, SQLERRM;
END $$;
DO $$
BEGIN
	PERFORM html_to_plain_text(string_agg(format('<p><font a=%s>', i), '')) FROM generate_series(1, 6000) AS i;
EXCEPTION WHEN program_limit_exceeded THEN
	RAISE NOTICE '% %', SQLSTATE, regexp_replace(SQLERRM, '\d+$', 'N');
END $$;
DO $$
BEGIN
	PERFORM html_to_text('<table><tr>' || repeat('<td rowspan=9999>x', 3000) || repeat('<tr>', 3000));
EXCEPTION WHEN program_limit_exceeded THEN
	RAISE NOTICE '% %', SQLSTATE, SQLERRM;
END $$;

-- A generated column with the fingerprint of a page's words; two pages with the same words and other markup are near-duplicates
CREATE TABLE pages (id int PRIMARY KEY, page text NOT NULL,
	fp minhash128 GENERATED ALWAYS AS (to_minhash128(html_to_plain_text(page))) STORED);
INSERT INTO pages VALUES
	(1, '<html><body><h1>Near duplicates</h1><p>The quick brown fox jumps over the lazy dog and runs into the deep dark wood.</p></body></html>'),
	(2, '<div class="c"><b>Near</b> duplicates<br>The quick <i>brown</i> fox jumps over <a href="/dog">the lazy dog</a> and runs into the deep dark wood.</div>'),
	(3, '<p>Nothing of the kind, only some other words on another subject entirely.</p>'),
	(4, '<p></p>');
SELECT a.id, b.id, jaccard(a.fp, b.fp) FROM pages a JOIN pages b ON a.id < b.id AND a.fp IS NOT NULL AND b.fp IS NOT NULL ORDER BY 1, 2;
SELECT id FROM pages WHERE fp IS NULL;
DROP TABLE pages;
