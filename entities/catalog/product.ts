// A product of a store. Its stock is in inventory_levels.
import { defineEntity } from '@mikro-orm/core'
import { namedKeys, namedRow } from '../kit/database/named-columns.ts'

const schema = defineEntity({ name: 'Product', tableName: 'products', properties: namedRow, ...namedKeys('products') })
export class Product extends schema.class {}
schema.setClass(Product)
