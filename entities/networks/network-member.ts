// A store or business of a network. Writers of its listings lock this row: one at a time.
import { defineEntity, p } from '@mikro-orm/core'
import { Network } from './network.ts'

const schema = defineEntity({
  name: 'NetworkMember',
  tableName: 'network_members',
  properties: {
    network_id: () => p.manyToOne(Network).mapToPk().primary().deleteRule('cascade').joinColumn('network_id'),
    tenant_id: p.uuid().primary(),
    created_at: p.bigint('number'),
  },
  indexes: [{ properties: ['tenant_id'] }],
})
export class NetworkMember extends schema.class {}
schema.setClass(NetworkMember)
