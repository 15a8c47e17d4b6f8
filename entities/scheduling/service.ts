// Something that is done for a customer at a booked time. Who does it, when and for how much is on its links to providers.
import { defineEntity } from '@mikro-orm/core'
import { namedKeys, namedRow } from '../kit/named-columns.ts'

const schema = defineEntity({ name: 'Service', tableName: 'services', properties: namedRow, ...namedKeys('services') })
export class Service extends schema.class {}
schema.setClass(Service)
