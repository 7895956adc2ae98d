// The curve editor under the timeline: the artist's curve and the simulated layer, whose keys hands may move.

import { element } from '../../ui/dom';
import { CurveBar } from '../curves/bar';
import { CurveCanvas } from '../curves/canvas';
import { ControlList } from '../curves/control_list';
import { CurveSession } from '../curves/session';
import { Panel, Studio } from '../panel';
import { panelIcons } from '../panel_icons';

export function curvesPanel(studio: Studio): Panel {
  const session = new CurveSession(studio);
  const canvas = new CurveCanvas(studio, session);
  const bar = new CurveBar(studio, session, canvas);
  const list = new ControlList(studio, (names) => session.show(names));
  const legend = element('p', { class: 'curve-legend', 'aria-hidden': true }, element('i', { class: 'artist' }), 'artist',
                         element('i', { class: 'soft' }), 'soft');
  list.head.append(legend);
  const root = element('section', { class: 'curve-panel', 'aria-label': 'Curves' }, list.root,
                       element('div', { class: 'curve-side' }, bar.root, canvas.root));
  return { id: 'curves', title: 'Curves', icon: panelIcons.curves, place: 'bottom', root,
           shown: (on) => { session.watching = list.survey.watching = on; canvas.redraw(); } };
}
