CREATE TABLE `console_sessions` (
	`sha256` text PRIMARY KEY NOT NULL,
	`operator_id` text,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `console_sessions_expires` ON `console_sessions` (`expires_at`);