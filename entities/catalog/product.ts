// Something a store sells. Its stock is elsewhere, because it changes independently.
import { defineEntity } from '@mikro-orm/core'
import { namedKeys, namedRow } from '../kit/named-columns.ts'

const schema = defineEntity({ name: 'Product', tableName: 'products', properties: namedRow, ...namedKeys('products') })
export class Product extends schema.class {}
schema.setClass(Product)
