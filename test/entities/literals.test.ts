// A text in a statement is escaped exactly as PostgreSQL's own client does, quickly at any length.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import pg from 'pg'
import { openOrm } from '../../entities/kit/database/orm.ts'

const orm = await openOrm({ url: 'postgres://reader@127.0.0.1:1/none', pool: 1 })
const platform = orm.em.getPlatform()

test('The literal of any text is the one of PostgreSQL’s client', () => {
  const piece = fc.oneof(
    fc.constantFrom("'", '\\', "\\'", "''", '$&', '\0', 'E', '\ud800', '\n'),
    fc.string({ unit: 'binary' }),
  )
  const text = fc.array(piece).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, (text) => expect(platform.escape(text)).toBe(pg.escapeLiteral(text))),
    { numRuns: 500 },
  )
})
