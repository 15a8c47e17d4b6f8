// Files that scheduled publications need: they cannot be deleted meanwhile.
import { defineEntity, p } from '@mikro-orm/core'
import { SocialPublication } from './social-publication.ts'

const schema = defineEntity({
  name: 'PublicationMedia',
  tableName: 'publication_media',
  properties: {
    tenant_id: p.uuid(),
    publication_id: () =>
      p.manyToOne(SocialPublication).mapToPk().deleteRule('cascade').joinColumn('publication_id').primary(),
    media_id: p.uuid().primary(),
  },
  indexes: [{ properties: ['tenant_id', 'media_id'] }],
})
export class PublicationMedia extends schema.class {}
schema.setClass(PublicationMedia)
