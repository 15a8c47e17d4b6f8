// A service that customers book. Its links to providers say when it is available and what it costs.
import { defineEntity } from '@mikro-orm/core'
import { namedKeys, namedRow } from '../kit/named-columns.ts'

const schema = defineEntity({ name: 'Service', tableName: 'services', properties: namedRow, ...namedKeys('services') })
export class Service extends schema.class {}
schema.setClass(Service)
