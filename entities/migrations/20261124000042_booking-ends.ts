import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000042_booking_ends extends Migration {

  override name = 'Migration20261124000042_booking-ends';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "order_bookings_tenant_id_ends_at_index";`);
    this.addSql(`create index concurrently "order_bookings_tenant_id_ends_at_index" on "order_bookings" ("tenant_id", "ends_at");`);
    this.addSql(`drop index concurrently if exists "order_bookings_ahead";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "order_bookings_ahead";`);
    this.addSql(`create index concurrently "order_bookings_ahead" on "order_bookings" ("tenant_id", "ends_at") where status in ('pending', 'confirmed');`);
    this.addSql(`drop index concurrently "order_bookings_tenant_id_ends_at_index";`);
  }

}
