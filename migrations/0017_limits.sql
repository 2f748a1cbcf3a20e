CREATE TABLE `account_sums` (
	`account_id` text PRIMARY KEY NOT NULL,
	`jobs` integer DEFAULT 0 NOT NULL,
	`day` integer DEFAULT 0 NOT NULL,
	`made` integer DEFAULT 0 NOT NULL,
	`upload_bytes` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE `jobs` ADD `spare_since` integer;--> statement-breakpoint
CREATE INDEX `jobs_spare` ON `jobs` (`account_id`,`spare_since`,`id`) WHERE "jobs"."spare_since" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `uploads_expired` ON `uploads` (`account_id`,`expires_at`,`bytes`);--> statement-breakpoint
CREATE INDEX `uploads_open` ON `uploads` (`account_id`,`expires_at`) WHERE "uploads"."completed_at" is null;--> statement-breakpoint
INSERT INTO `account_sums` (`account_id`, `jobs`) SELECT `account_id`, COUNT(*) FROM `jobs` GROUP BY 1;
--> statement-breakpoint
INSERT INTO `account_sums` (`account_id`, `upload_bytes`) SELECT `account_id`, SUM(MAX(`bytes`, 1048576)) FROM `uploads` WHERE TRUE GROUP BY 1 ON CONFLICT DO UPDATE SET `upload_bytes` = excluded.`upload_bytes`;
--> statement-breakpoint
CREATE TRIGGER `jobs_summed` AFTER INSERT ON `jobs` BEGIN INSERT INTO `account_sums` (`account_id`, `jobs`, `day`, `made`) VALUES (NEW.`account_id`, 1, NEW.`created_at` / 86400000, 1) ON CONFLICT DO UPDATE SET `jobs` = `jobs` + 1, `made` = IIF(excluded.`day` > `day`, 1, `made` + (excluded.`day` = `day`)), `day` = MAX(`day`, excluded.`day`); END;
--> statement-breakpoint
CREATE TRIGGER `jobs_unsummed` AFTER DELETE ON `jobs` BEGIN UPDATE `account_sums` SET `jobs` = `jobs` - 1 WHERE `account_id` = OLD.`account_id`; END;
--> statement-breakpoint
CREATE TRIGGER `uploads_summed` AFTER INSERT ON `uploads` BEGIN INSERT INTO `account_sums` (`account_id`, `upload_bytes`) VALUES (NEW.`account_id`, MAX(NEW.`bytes`, 1048576)) ON CONFLICT DO UPDATE SET `upload_bytes` = `upload_bytes` + excluded.`upload_bytes`; END;
--> statement-breakpoint
CREATE TRIGGER `uploads_unsummed` AFTER DELETE ON `uploads` BEGIN UPDATE `account_sums` SET `upload_bytes` = `upload_bytes` - MAX(OLD.`bytes`, 1048576) WHERE `account_id` = OLD.`account_id`; END;
