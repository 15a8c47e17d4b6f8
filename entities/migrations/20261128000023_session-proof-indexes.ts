import { IndexMigration } from '../kit/database/build-index.ts';

const indexes = {
  contact_sessions_previous: `"contact_sessions" ("previous_digest") where previous_digest is not null`,
  contact_merges_tenant_id_target_id_index: `"contact_merges" ("tenant_id", "target_id")`,
}

export class Migration20261128000023_session_proof_indexes extends IndexMigration {

  override name = 'Migration20261128000023_session-proof-indexes';

  override async up(): Promise<void> {
    for (const [name, on] of Object.entries(indexes)) {
      await this.buildIndex(`create index concurrently "${name}" on ${on}`);
    }
  }

  override async down(): Promise<void> {
    for (const name of Object.keys(indexes)) await this.dropIndex(name);
  }

}
