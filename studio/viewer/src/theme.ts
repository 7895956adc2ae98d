// Light and dark. Colours of the page itself are in style.css; these are what the canvas draws with.

export interface Theme {
  name: 'light' | 'dark';
  grid: string;
  gridStrength: number;
  shadowStrength: number;
  wire: string;
  bone: string;
  joint: string;
  ghost: string;
}

export const kLight: Theme = { name: 'light', grid: '#5b6470', gridStrength: 0.34, shadowStrength: 0.26,
                               wire: '#10151c', bone: '#3f7fd6', joint: '#ffffff', ghost: '#2b6fd0' };
export const kDark: Theme = { name: 'dark', grid: '#aeb8c6', gridStrength: 0.24, shadowStrength: 0.5,
                              wire: '#ffffff', bone: '#6ea8ff', joint: '#ffffff', ghost: '#7db4ff' };

export function preferredTheme(): Theme {
  return matchMedia('(prefers-color-scheme: dark)').matches ? kDark : kLight;
}
