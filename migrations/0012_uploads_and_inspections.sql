CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`bytes` integer NOT NULL,
	`sha256` text NOT NULL,
	`multipart_id` text NOT NULL,
	`parts` text DEFAULT '{}' NOT NULL,
	`created_at` integer NOT NULL,
	`completed_at` integer,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `uploads_content` ON `uploads` (`account_id`,`sha256`,`bytes`);--> statement-breakpoint
CREATE INDEX `uploads_list` ON `uploads` (`account_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `uploads_expiry` ON `uploads` (`expires_at`);--> statement-breakpoint
CREATE INDEX `jobs_inspected` ON `jobs` (`finished_at`) WHERE "jobs"."mode" = 'inspect';