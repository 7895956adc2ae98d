// The viewport of the studio, fed by the server's frames.

import { StageApi } from './stage_types';

export type Stage = StageApi;
