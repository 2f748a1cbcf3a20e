CREATE TABLE `rounds` (
	`name` text PRIMARY KEY NOT NULL,
	`cursor` text NOT NULL
);
