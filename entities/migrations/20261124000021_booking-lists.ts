import { IndexMigration } from '../kit/database/build-index.ts';

export class Migration20261124000021_booking_lists extends IndexMigration {

  override name = 'Migration20261124000021_booking_lists';

  override async up(): Promise<void> {
    await this.buildIndex(`create index concurrently "orders_booked" on "orders" ("tenant_id", "module", "created_at", "id") where module is not null`);
    await this.buildIndex(`create index concurrently "orders_fingerprint" on "orders" ("tenant_id", "fingerprint") where fingerprint is not null`);
    await this.buildIndex(`create index concurrently "order_bookings_tenant_id_starts_at_index" on "order_bookings" ("tenant_id", "starts_at")`);
  }

  override async down(): Promise<void> {
    for (const index of ['orders_booked', 'orders_fingerprint', 'order_bookings_tenant_id_starts_at_index']) await this.dropIndex(index);
  }

}
