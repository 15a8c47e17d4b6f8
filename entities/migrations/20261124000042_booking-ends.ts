import { IndexMigration } from '../kit/database/build-index.ts';

export class Migration20261124000042_booking_ends extends IndexMigration {

  override name = 'Migration20261124000042_booking-ends';

  override async up(): Promise<void> {
    await this.buildIndex(`create index concurrently "order_bookings_tenant_id_ends_at_index" on "order_bookings" ("tenant_id", "ends_at")`);
    await this.dropIndex('order_bookings_ahead');
  }

  override async down(): Promise<void> {
    await this.buildIndex(`create index concurrently "order_bookings_ahead" on "order_bookings" ("tenant_id", "ends_at") where status in ('pending', 'confirmed')`);
    await this.dropIndex('order_bookings_tenant_id_ends_at_index');
  }

}
