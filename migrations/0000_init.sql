CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`id_salt` text NOT NULL,
	`provisioned_slots` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`sha256` text NOT NULL,
	`hint` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_sha256` ON `api_keys` (`sha256`);--> statement-breakpoint
CREATE INDEX `api_keys_account` ON `api_keys` (`account_id`);--> statement-breakpoint
CREATE TABLE `assets` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text,
	`content_type` text NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX `assets_account_created` ON `assets` (`account_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `assets_deleted` ON `assets` (`deleted_at`) WHERE "assets"."deleted_at" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `clips` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`job_id` text NOT NULL,
	`version` integer NOT NULL,
	`state` text NOT NULL,
	`is_saved` integer NOT NULL,
	`title` text NOT NULL,
	`resolution` integer NOT NULL,
	`fps` integer NOT NULL,
	`tier` text NOT NULL,
	`duration_seconds` real NOT NULL,
	`video_key` text NOT NULL,
	`video_bytes` integer NOT NULL,
	`video_sha256` text NOT NULL,
	`thumbnail_key` text NOT NULL,
	`thumbnail_bytes` integer NOT NULL,
	`thumbnail_sha256` text NOT NULL,
	`created_at` integer NOT NULL,
	`rendered_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `clips_account_created` ON `clips` (`account_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `clips_expiry` ON `clips` (`rendered_at`) WHERE "clips"."state" = 'ready' AND "clips"."is_saved" = 0;--> statement-breakpoint
CREATE TABLE `hosts` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`token_sha256` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `hosts_token_sha256` ON `hosts` (`token_sha256`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`account_id` text NOT NULL,
	`key` text NOT NULL,
	`job_id` text NOT NULL,
	PRIMARY KEY(`account_id`, `key`)
);
--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`version` integer NOT NULL,
	`status` text NOT NULL,
	`mode` text NOT NULL,
	`priority` integer NOT NULL,
	`fps` integer,
	`resolution` integer NOT NULL,
	`error_code` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	`watch_at` integer
);
--> statement-breakpoint
CREATE INDEX `jobs_account_created` ON `jobs` (`account_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `jobs_watch` ON `jobs` (`watch_at`) WHERE "jobs"."watch_at" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `usage` (
	`job_id` text NOT NULL,
	`run` integer NOT NULL,
	`account_id` text NOT NULL,
	`tier` text NOT NULL,
	`resolution` integer NOT NULL,
	`fps` integer NOT NULL,
	`seconds` real NOT NULL,
	`rendered_at` integer NOT NULL,
	PRIMARY KEY(`job_id`, `run`)
);
--> statement-breakpoint
CREATE INDEX `usage_account_rendered` ON `usage` (`account_id`,`rendered_at`);