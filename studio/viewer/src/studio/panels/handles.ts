// The tools that take hold of the character on the stage.

import { MoveJoints } from '../handles/move_joints';
import { Pull } from '../handles/pull';
import { Studio } from '../panel';
import { Tool } from '../tools';

export function makeTools(studio: Studio): Tool[] { return [new MoveJoints(studio), new Pull(studio)]; }
