CREATE TABLE `unbilled_runs` (
	`account_id` text NOT NULL,
	`day` integer NOT NULL,
	`job_id` text NOT NULL,
	`run` integer NOT NULL,
	`host_ms` integer NOT NULL,
	PRIMARY KEY(`account_id`, `day`, `job_id`, `run`)
);
