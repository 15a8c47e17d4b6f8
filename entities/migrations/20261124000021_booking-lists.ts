import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000021_booking_lists extends Migration {

  override name = 'Migration20261124000021_booking_lists';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    this.addSql(`drop index concurrently if exists "orders_booked";`);
    this.addSql(`create index concurrently "orders_booked" on "orders" ("tenant_id", "module", "created_at", "id") where module is not null;`);
    this.addSql(`drop index concurrently if exists "orders_fingerprint";`);
    this.addSql(`create index concurrently "orders_fingerprint" on "orders" ("tenant_id", "fingerprint") where fingerprint is not null;`);
    this.addSql(`drop index concurrently if exists "order_bookings_tenant_id_starts_at_index";`);
    this.addSql(`create index concurrently "order_bookings_tenant_id_starts_at_index" on "order_bookings" ("tenant_id", "starts_at");`);
  }

  override down(): void | Promise<void> {
    for (const index of ['orders_booked', 'orders_fingerprint', 'order_bookings_tenant_id_starts_at_index']) this.addSql(`drop index concurrently "${index}";`);
  }

}
