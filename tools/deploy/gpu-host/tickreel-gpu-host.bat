@echo off
rem Keeps a render host that records the game on Windows running: docs/gpu-host.md has the task that starts this.
rem Its settings are in host.env, beside package.json; its log is added to host.log there.
cd /d "%~dp0..\.."
:again
call npx node packages/render-host/main.ts --config host.env 2>> host.log
rem 2: the settings are wrong, or the service refuses this host. A restart does not help.
if %errorlevel% equ 2 exit /b 2
rem Waits five seconds, also without a keyboard.
ping -n 6 127.0.0.1 > nul
goto again
