// A person, room or machine that services are booked with. All its services share its time.
import { defineEntity } from '@mikro-orm/core'
import { namedKeys, namedRow } from '../kit/named-columns.ts'

const schema = defineEntity({ name: 'Provider', tableName: 'providers', properties: namedRow, ...namedKeys('providers') })
export class Provider extends schema.class {}
schema.setClass(Provider)
