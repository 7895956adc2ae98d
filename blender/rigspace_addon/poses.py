"""All controls of a character at any frame of a clip, from its F-curves."""
from . import clips
from .controls import AXIS_ANGLE, Moment, Turn


class Poses:
    def __init__(self, subject, clip=None):
        """clip: of the subject; the first by default."""
        self.subject, self.clip = subject, clip or subject.clips[0]
        self.channels = {(channel.owner, channel.path): channel for channel in subject.listing.channels}
        self.moments = [channel for channel in subject.listing.channels if isinstance(channel, Moment)]

    def at(self, frame):
        p = self.subject.rest.copy()
        for place, found in self.clip.found().items():
            channel = self.channels.get(place)
            if channel is None:
                continue
            if isinstance(channel, Turn):
                rest = AXIS_ANGLE if channel.path.endswith("axis_angle") else (1.0, 0.0, 0.0, 0.0)
                p[channel.key : channel.key + 4] = clips.orientation_of(channel, found, rest)(frame)
            elif hasattr(channel, "components"):
                for index, column in channel.components.items():
                    if index in found:
                        p[column] = found[index].evaluate(frame)
            elif 0 in found:
                p[channel.column] = found[0].evaluate(frame)
        for channel in self.moments:
            p[channel.column] = frame
        return p
