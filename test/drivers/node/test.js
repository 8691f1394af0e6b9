// Tests node-postgres with the database that the environment names: strings, binary, bound parameters in generic plans.
// The last line is "N passed, N failed".
'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const { Client } = require('pg')

const text = 'a text of some ten words or more that nobody else in this table has ever written before'
let passed = 0
let failed = 0

async function test(name, body) {
  try {
    await body()
    passed++
    console.log(`ok ${name}`)
  } catch (error) {
    failed++
    console.log(`FAILED ${name}: ${error.stack}`)
  }
}

// The snippets of docs/drivers.md; their results are in these variables.
function thePage(client) {
  const page = fs.readFileSync(path.join(__dirname, '../../../docs/drivers.md'), 'utf8')
  const [, snippet] = page.match(/^## node-postgres$.*?^```js\n(.*?)^```/ms)
  const AsyncFunction = (async () => {}).constructor
  return new AsyncFunction('client', 'text', snippet + '\nreturn { nearest, fp, sim, matches, bytes }')(client, text)
}

async function roundTrip(client, type) {
  const { value } = (await client.query(`SELECT to_${type}($1) AS value`, [text])).rows[0]
  const { bytes } = (await client.query(`SELECT ${type}_send(to_${type}($1)) AS bytes`, [text])).rows[0]
  assert.strictEqual(typeof value, 'string')
  assert(Buffer.isBuffer(bytes) && bytes.length > 0 && bytes.length < value.length)
  await client.query(`CREATE TEMP TABLE t_${type} (v ${type})`)
  for (const sent of [value, bytes, null]) await client.query(`INSERT INTO t_${type} VALUES ($1)`, [sent])
  const counted = await client.query(`SELECT count(v)::int AS all, (count(*) FILTER (WHERE v = to_${type}($1)))::int AS same FROM t_${type}`, [text])
  assert.deepStrictEqual(counted.rows, [{ all: 2, same: 2 }])
  await assert.rejects(client.query(`INSERT INTO t_${type} VALUES ($1)`, ['no fingerprint']), { code: '22P02' })
  await assert.rejects(client.query(`INSERT INTO t_${type} VALUES ($1)`, [bytes.subarray(1)]), (error) => ['22P03', '08P01'].includes(error.code))
}

// auto_explain shows the plan of the very statement that the driver sent.
async function genericPlans(client) {
  let plans = ''
  client.on('notice', (notice) => { plans += notice.message })
  await client.query('LOAD \'auto_explain\'')
  for (const setting of ['plan_cache_mode = force_generic_plan', 'auto_explain.log_min_duration = 0', 'client_min_messages = log']) {
    await client.query(`SET ${setting}`)
  }
  const value = (await client.query('SELECT id, fp, sim FROM docs WHERE body = $1', [text])).rows[0]
  const bytes = (await client.query('SELECT minhash128_send(fp) AS fp, simhash64_send(sim) AS sim FROM docs WHERE body = $1', [text])).rows[0]
  const searches = [
    ['function, text', 'docs_fp', 'minhash_similar(fp, $1, 0.8)', [value.fp]],
    ['function, binary', 'docs_fp', 'minhash_similar(fp, $1, 0.8)', [bytes.fp]],
    ['function, threshold', 'docs_fp', 'minhash_similar(fp, $1, $2)', [value.fp, 0.9]],
    ['function of the document', 'docs_fp', 'minhash_similar(fp, to_minhash128($1), 0.8)', [text]],
    ['operator, text', 'docs_fp', 'fp % $1', [value.fp]],
    ['operator, binary', 'docs_fp', 'fp % $1', [bytes.fp]],
    ['simhash64 function, text', 'docs_sim', 'simhash_similar(sim, $1, 3)', [value.sim]],
    ['simhash64 function, distance', 'docs_sim', 'simhash_similar(sim, $1, $2)', [value.sim, 3]],
    ['simhash64 operator, binary', 'docs_sim', 'sim % $1', [bytes.sim]],
  ]
  for (const [what, index, condition, values] of searches) {
    await test(`generic plan: ${what}`, async () => {
      plans = ''
      const found = await client.query({ name: what, text: `SELECT id FROM docs WHERE ${condition}`, values })
      assert.deepStrictEqual(found.rows, [{ id: value.id }])
      assert(plans.includes(`Index Scan using ${index} `) && plans.includes('$1'), plans)
    })
  }
}

async function main() {
  const client = new Client()
  await client.connect()
  console.log(`node-postgres ${require('pg/package.json').version}, node ${process.version}`)
  await test('page', async () => {
    const { nearest, fp, sim, matches, bytes } = await thePage(client)
    assert.strictEqual(nearest.rows.length, 1)
    assert.strictEqual(nearest.rows[0].similarity, 1)
    assert.deepStrictEqual(matches.rows, [{ id: nearest.rows[0].id }])
    assert.deepStrictEqual([typeof fp, typeof sim, Buffer.isBuffer(bytes)], ['string', 'string', true])
    const stored = await client.query('SELECT count(*)::int AS n FROM archive WHERE fp = $1', [fp])
    assert.deepStrictEqual(stored.rows, [{ n: 2 }])
  })
  const types = await client.query(`
    SELECT typname FROM pg_type AS t
    WHERE EXISTS (SELECT FROM pg_depend JOIN pg_extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
                  WHERE classid = 'pg_type'::regclass AND objid = t.oid AND extname = 'txtfp')
      AND EXISTS (SELECT FROM pg_proc WHERE proname = 'to_' || typname AND proargtypes[0] = 'text'::regtype)
    ORDER BY 1`)
  await test('types', () => assert(types.rows.length >= 4))
  for (const { typname } of types.rows) await test(`round trip: ${typname}`, () => roundTrip(client, typname))
  await test('generic plans', () => genericPlans(client))
  await client.end()
}

main().catch((error) => { failed++; console.log(`FAILED ${error.stack}`) }).then(() => {
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
})
