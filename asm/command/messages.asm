; messages.asm: the messages of COMMAND.COM, and its keywords.

crlf    equ     CR, LF

new_line_text db crlf, 0
empty   db      0
backspace_text db BACKSPACE, ' ', BACKSPACE, 0
default_prompt db '$N$G', 0

bad_command_text db 'Bad command or file name', crlf, 0
syntax_text db  'Syntax error', crlf, 0
file_not_found_text db 'File not found', crlf, 0
file_not_found_name db 'File not found - ', 0
path_not_found_text db 'Path not found', crlf, 0
access_denied_text db 'Access denied', crlf, 0
access_denied_name db 'Access denied - ', 0
file_creation_text db 'File creation error', crlf, 0
too_big_text db 'Program too big to fit in memory', crlf, 0
bad_exe_text db 'Error in EXE file', crlf, 0
invalid_drive_text db 'Invalid drive specification', crlf, 0
invalid_switch_text db 'Invalid switch - /', 0
invalid_directory_text db 'Invalid directory', crlf, 0
missing_text db 'Required parameter missing', crlf, 0
too_many_text db 'Too many parameters', crlf, 0
invalid_parameter_text db 'Invalid parameter', crlf, 0
no_directory_text db 'Unable to create directory', crlf, 0
not_removed_text db 'Invalid path, not directory,', crlf, 'or directory not empty', crlf, 0
environment_text db 'Out of environment space', crlf, 0
batch_missing_text db 'Batch file missing', crlf, 0
label_text db   'Label not found', crlf, 0
nesting_text db 'Too many commands within commands', crlf, 0
pipe_text db    'Intermediate file error during pipe', crlf, 0
duplicate_text db 'Duplicate file name or file not found', crlf, 0
itself_text db  'File cannot be copied onto itself', crlf, 0
lost_text db    'Content of destination lost before copy', crlf, 0
full_text db    'Insufficient disk space', crlf, 0
on_or_off_text db 'Must specify ON or OFF', crlf, 0
terminate_text db crlf, 'Terminate batch job (Y/N)?', 0
delete_all_text db 'All files in directory will be deleted!', crlf, 'Are you sure (Y/N)?', 0
delete_one_text db ',    Delete (Y/N)?', 0
pause_text db   'Press any key to continue . . .', 0
copied_text db  ' file(s) copied', crlf, 0
echo_on_text db 'ECHO is on', crlf, 0
echo_off_text db 'ECHO is off', crlf, 0
break_on_text db 'BREAK is on', crlf, 0
break_off_text db 'BREAK is off', crlf, 0
verify_on_text db 'VERIFY is on', crlf, 0
verify_off_text db 'VERIFY is off', crlf, 0
no_path_text db 'No Path', crlf, 0
path_text db    'PATH=', 0
version_text db 'oxbox, DOS version ', 0
date_text db    'Current date is ', 0
time_text db    'Current time is ', 0
new_date_text db 'Enter new date (mm-dd-yy): ', 0
new_time_text db 'Enter new time: ', 0
bad_date_text db crlf, 'Invalid date', crlf, 0
bad_time_text db crlf, 'Invalid time', crlf, 0
volume_text db  ' Volume in drive ', 0
no_label_text db ' has no label', crlf, 0
label_is_text db ' is ', 0
serial_text db  ' Volume Serial Number is ', 0
directory_text db ' Directory of ', 0
files_text db   ' file(s) ', 0
bytes_text db   ' bytes', 0
free_text db    ' bytes free', 0
total_text db   'Total files listed:', 0
dir_mark db     ' <DIR>    ', 0
days_text db    'SunMonTueWedThuFriSat'

rem_word db     'REM', 0
if_word db      'IF', 0
for_word db     'FOR', 0
in_word db      'IN', 0
do_word db      'DO', 0
not_word db     'NOT', 0
exist_word db   'EXIST', 0
errorlevel_word db 'ERRORLEVEL', 0
command_word db 'COMMAND', 0
on_word db      'ON', 0
off_word db     'OFF', 0
path_name db    'PATH', 0
prompt_name db  'PROMPT', 0
temp_name db    'TEMP', 0
