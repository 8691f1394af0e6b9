#include "pg/trigger/near_duplicate_messages.hpp"

#include "pg/base/text_arg.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/lsyscache.h"
}

namespace txtfp::pg {

namespace {

const char *key_text(const NearDuplicateCheck &check, const SimilarRow &similar)
{
	if (similar.key_is_null)
		return "null";
	Oid output;
	bool is_varlena;
	getTypeOutputInfo(get_atttype(check.searched.table, check.searched.key), &output, &is_varlena);
	return abbreviated(OidOutputFunctionCall(output, similar.key));
}

// "at a Hamming distance of 3"
const char *similarity_text(const FingerprintKind &kind, double similarity)
{
	switch (kind.unit) {
	case MeasureUnit::distance:
		return psprintf("at a Hamming distance of %.0f", similarity);
	case MeasureUnit::passages:
		return psprintf("with %.0f common fingerprints of passages", similarity);
	default:
		return psprintf("with %s similarity of %.4g", kind.slots > 0 ? "an estimated Jaccard" : "a cosine", similarity);
	}
}

// Which of several columns say so: "column "fp" with …, column "meaning" with …"
const char *evidence_text(const NearDuplicateCheck &check, const SimilarRow &similar)
{
	StringInfoData text;
	initStringInfo(&text);
	for (int i = 0; i < check.columns.count; ++i) {
		const ComparedColumn &column = check.columns.list[i];
		if (similar.evidence[i].decides)
			appendStringInfo(&text, "%scolumn \"%s\" %s", text.len > 0 ? ", " : "",
				get_attname(check.fired, column.number, false),
				similarity_text(*column.kind, similar.evidence[i].similarity));
	}
	return text.data;
}

// What the texts say: ". The decision is "review" (number)"
const char *decision_text(const NearDuplicateCheck &check, const SimilarRow &similar)
{
	if (check.decision == nullptr)
		return "";
	const std::string_view reason = similar.reason();
	return psprintf(". The decision about the texts is \"%s\", because of \"%.*s\"",
		core::removal::outcome_names[similar.outcome()], static_cast<int>(reason.size()), reason.data());
}

} // namespace

int row_detail(const NearDuplicateCheck &check, const SimilarRow &similar)
{
	const char *decision = decision_text(check, similar);
	const FingerprintKind &kind = *check.columns.list[0].kind;
	const double similarity = similar.evidence[0].similarity;
	const char *row =
		psprintf("(%s)=(%s)", get_attname(check.searched.table, check.searched.key, false), key_text(check, similar));
	if (!check.is_against_itself())
		row = psprintf("%s of relation \"%s\"", row, get_rel_name(check.searched.table));
	if (!check.columns.is_one())
		return errdetail("It is similar to the row with %s: %s%s.", row, evidence_text(check, similar), decision);
	if (kind.unit == MeasureUnit::passages)
		return errdetail("It shares passages with the row with %s, which has %.0f of its fingerprints%s.", row,
			similarity, decision);
	return errdetail("It is similar to the row with %s, %s%s.", row, similarity_text(kind, similarity), decision);
}

} // namespace txtfp::pg
