// The list: never more than clients support, no duplicates, and every callable tool reachable.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { listTools, pageOf } from './list.ts'
import { searchTools } from './search.ts'
import { catalogue_tools, isWithin, type Offer, offersOf, readCategories, unknownCategory } from './tools.ts'

const operation_name = fc.stringMatching(/^[a-z]{1,6}(_[a-z]{1,4})?(\.[a-z]{1,4})?$/)
const permissions = fc.uniqueArray(
  fc.record({
    protocol: fc.stringMatching(/^M[A-Z]{1,3}$/),
    operation: operation_name,
    may: fc.constantFrom('yes', 'no', 'depends'),
  }),
  { maxLength: 400, minLength: 0, selector: (row) => `${row.protocol}.${row.operation}`, size: 'max' },
)
const offers = permissions.map((rows) =>
  offersOf(rows.map((row) => ({ ...row, capability: `svc.${row.protocol.toLowerCase()}.${row.operation}` }))),
)

function callableNames(all_offers: readonly Offer[]): string[] {
  return all_offers.filter(({ may }) => may !== 'no').map(({ tool }) => tool.name)
}

suite('the list of tools', () => {
  test('is never longer than requested, never repeats, and either shows or reaches every callable tool', () => {
    fc.assert(
      fc.property(
        offers,
        fc.constantFrom(true, undefined),
        fc.integer({ min: 2, max: 128 }),
        (all_offers, compact, most) => {
          const names = listTools(all_offers, { compact, tools_max: most }).map(({ name }) => name)
          const callable = callableNames(all_offers)
          assert.ok(names.length <= most)
          assert.equal(new Set(names).size, names.length)
          assert.equal(names[0], 'svc.search_tools')
          const own = names.filter((name) => name.split('.').length === 2)
          for (const name of names.slice(own.length)) assert.ok(callable.includes(name), name)
          const hidden = callable.filter((name) => !names.includes(name))
          if (hidden.length === 0) return
          assert.ok(own.includes('svc.call_tool'))
          for (const name of hidden.slice(0, 5)) {
            const tools = searchTools(all_offers, { query: name, limit: 50 }).tools
            assert.ok(
              tools.some((tool) => tool.name === name),
              `${name} is found by its name`,
            )
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  test('in pages, shows every callable tool exactly once, and the first page holds 128', () => {
    fc.assert(
      fc.property(offers, (all_offers) => {
        const all = listTools(all_offers, { compact: false })
        const listed_names: string[] = []
        let cursor: string | undefined
        for (let pages = 0; pages < 10; pages++) {
          const page = pageOf(all, cursor)!
          assert.ok(page.tools.length <= 128)
          listed_names.push(...page.tools.map(({ name }) => name))
          cursor = page.nextCursor
          if (cursor === undefined) break
          assert.equal(page.tools.length, 128)
        }
        assert.equal(cursor, undefined)
        assert.deepEqual(listed_names, ['svc.search_tools', ...callableNames(all_offers)])
      }),
      { numRuns: 40 },
    )
  })

  test('a list that changed between two pages neither repeats nor skips remaining tools', () => {
    const all_offers = offersOf(
      Array.from({ length: 300 }, (_, i) => ({
        protocol: 'MIM',
        operation: `op_${String(i).padStart(3, '0')}`,
        capability: '',
        may: 'yes' as const,
      })),
    )
    const first = pageOf(listTools(all_offers, { compact: false }), undefined)!
    const gone = all_offers.filter(({ tool }) => tool.operation !== 'op_126' && tool.operation !== 'op_005')
    const second = pageOf(listTools(gone, { compact: false }), first.nextCursor)!
    assert.equal(second.tools[0]?.name, 'svc.mim.op_127')
  })

  test('a foreign cursor is refused', () => {
    const all = listTools(offersOf([]))
    for (const cursor of ['', 'x', '!!', Buffer.from('before:x').toString('base64url'), 'A'.repeat(500)])
      assert.equal(pageOf(all, cursor), undefined, cursor)
  })

  test('has schemas, hints, category and capability of every operation of the catalogue', () => {
    const whoami = catalogue_tools.map(({ protocol, operation, name }) => ({
      protocol,
      operation,
      capability: name,
      may: 'yes' as const,
    }))
    const listed = listTools(offersOf(whoami), { compact: false })
    assert.equal(listed.length, catalogue_tools.length + 1)
    for (const { name, inputSchema, outputSchema, annotations, _meta } of listed.slice(1)) {
      assert.match(name, /^svc\.[a-z]+\.[a-z0-9_.]+$/)
      assert.equal(inputSchema.type, 'object')
      assert.equal(typeof outputSchema, 'object')
      assert.equal(annotations?.destructiveHint, !annotations?.readOnlyHint)
      assert.ok(
        ['svc-cognitive', 'svc-governance', 'svc-commerce', 'svc-infrastructure'].includes(
          `${_meta?.['svc/category']}`,
        ),
      )
      assert.equal(_meta?.['svc/capability'], name)
    }
  })

  test('includes every protocol when it must leave tools out', () => {
    const many = ['MAA', 'MBB', 'MCC'].flatMap((protocol) =>
      Array.from({ length: 10 }, (_, i) => ({
        protocol,
        operation: `op${i}`,
        capability: '',
        may: 'yes' as const,
      })),
    )
    const names = listTools(offersOf(many), { tools_max: 8 }).map(({ name }) => name)
    assert.deepEqual(names.slice(2), [
      'svc.maa.op0',
      'svc.maa.op1',
      'svc.mbb.op0',
      'svc.mbb.op1',
      'svc.mcc.op0',
      'svc.mcc.op1',
    ])
  })
})

suite('categories and search', () => {
  const rows = offersOf(
    catalogue_tools.map(({ protocol, operation, name }) => ({
      protocol,
      operation,
      capability: name,
      may: name === 'svc.max.audit_log_entry' ? ('no' as const) : ('yes' as const),
      why_not: 'You hold no capability for it.',
    })),
  )

  test('a category may be long, short, in any case, or a protocol', () => {
    assert.deepEqual(readCategories('SVC-Cognitive, max'), ['svc-cognitive', 'max'])
    assert.deepEqual(readCategories(['cognitive', 'svc-cognitive']), ['svc-cognitive'])
    const audit = rows.find(({ tool }) => tool.name === 'svc.max.audit_query')!.tool
    assert.ok(isWithin(audit, ['max']) && isWithin(audit, ['svc-infrastructure']) && isWithin(audit, []))
    assert.ok(!isWithin(audit, ['svc-commerce']))
    assert.equal(unknownCategory(['svc-commerce', 'mox'], ['MAX'])?.word, 'mox')
  })

  test('words find a tool, and a denied one has its reason', () => {
    const audit = searchTools(rows, { query: 'query the audit records' })
    assert.equal(audit.tools[0]?.name, 'svc.max.audit_query')
    assert.deepEqual(
      audit.tools[0]?.input_schema,
      catalogue_tools.find(({ name }) => name === 'svc.max.audit_query')?.inputSchema,
    )
    const denied = searchTools(rows, { query: 'audit log entry' }).tools[0]
    assert.deepEqual([denied?.may, denied?.why_not], ['no', 'You hold no capability for it.'])
  })

  test('a typing error still finds it, and nonsense finds nothing', () => {
    assert.equal(searchTools(rows, { query: 'svc.max.adit_qery' }).tools[0]?.name, 'svc.max.audit_query')
    assert.deepEqual(searchTools(rows, { query: 'zzzzqqqq' }), { tools: [], total: 0 })
  })

  test('an empty query finds everything, up to the limit', () => {
    const { tools, total } = searchTools(rows, { limit: 3 })
    assert.deepEqual([tools.length, total], [3, catalogue_tools.length])
  })
})
