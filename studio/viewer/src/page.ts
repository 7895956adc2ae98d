// The page. What the document holds says how it works: a character with two clips to compare (`rigspace simulate`), a
// character (`rigspace view`), or nothing, and then a server is behind it (`rigspace studio`).

import { embeddedOptions } from './embedded';
import { openSoft } from './soft';
import { openStudio } from './studio';
import { openViewer } from './viewer';

if (!document.getElementById('character')) openStudio();
else if ('pairs' in embeddedOptions<object>()) openSoft();
else openViewer();
