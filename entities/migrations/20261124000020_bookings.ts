import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000020_bookings extends Migration {

  override name = 'Migration20261124000020_bookings';

  override up(): void | Promise<void> {
    this.addSql(`alter table "orders" add "module" text null, add "booking_status" text null, add "cancel_reason" text null, add "blocks" jsonb null, add "coordinates" jsonb null, add "fingerprint" varchar(64) null;`);
    this.addSql(`alter table "orders" add constraint "orders_module_check" check ("module" in ('booking', 'reservation')) not valid;`);
    this.addSql(`alter table "orders" add constraint "orders_booking_status_check" check ("booking_status" in ('created', 'pending', 'authorized', 'confirmed', 'completed', 'cancelled', 'failed')) not valid;`);
    this.addSql(`alter table "orders" add constraint "orders_cancel_reason_check" check ("cancel_reason" in ('requested', 'declared_failed', 'payment_expired', 'payment_failed')) not valid;`);
    this.addSql(`alter table "orders" add constraint "orders_booking" check ((module is null) = (booking_status is null) and (booking_status is null or case status when 'pending' then booking_status in ('created', 'pending', 'authorized') when 'cancelled' then booking_status in ('cancelled', 'failed') else booking_status in ('confirmed', 'completed') end)) not valid;`);
    this.addSql(`alter table "orders" validate constraint "orders_module_check";`);
    this.addSql(`alter table "orders" validate constraint "orders_booking_status_check";`);
    this.addSql(`alter table "orders" validate constraint "orders_cancel_reason_check";`);
    this.addSql(`alter table "orders" validate constraint "orders_booking";`);
    this.addSql(`alter table "order_bookings" add "replaced" boolean not null default false;`);
    this.addSql(`alter table "payment_sessions" alter column "return_url" drop not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "orders" drop constraint "orders_booking", drop column "module", drop column "booking_status", drop column "cancel_reason", drop column "blocks", drop column "coordinates", drop column "fingerprint";`);
    this.addSql(`alter table "order_bookings" drop column "replaced";`);
    this.addSql(`update "payment_sessions" set "return_url" = '' where "return_url" is null;`);
    this.addSql(`alter table "payment_sessions" alter column "return_url" set not null;`);
  }

}
