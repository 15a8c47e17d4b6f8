// A network of stores and businesses, whose offers are searched together.
import { defineEntity, p } from '@mikro-orm/core'
import { globalRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'Network',
  tableName: 'networks',
  properties: { ...globalRow, key: p.string().length(63).unique(), name: p.string() },
  indexes: [{ properties: ['created_at', 'id'] }, { properties: ['updated_at', 'id'] }],
})
export class Network extends schema.class {}
schema.setClass(Network)
