// The OpenAPI document: the routes with example bodies, which a test sends to the demo store.
import { audiences } from './examples/audiences.ts'
import { automation } from './examples/automation.ts'
import { campaigns } from './examples/campaigns.ts'
import { commerce } from './examples/commerce.ts'
import { content } from './examples/content.ts'
import { crm } from './examples/crm.ts'
import { social } from './examples/social.ts'
import { documentOf } from './openapi/document.ts'
import { routes } from './routes.ts'

export const examples = [...commerce, ...content, ...crm, ...automation, ...audiences, ...campaigns, ...social]

export const document = () => documentOf(routes, Object.fromEntries(examples.map(({ spec, body }) => [spec, body])))
