#pragma once
// Private to anim: the meaning of words in a clip's name.

#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// The words of a clip's name in lower case, without what stands before the last | or : (an armature's name): letters
/// between other characters, and from a capital letter on. "Armature|Idle_HitReact1" is idle, hit, react.
std::vector<std::string> words_of_clip(std::string_view name);

/// The word of a name that means that the clip happens once, such as "attack"; empty if there is none.
std::string once_word(const std::vector<std::string>& words);

/// A word for a leap, which happens once unless another word means that the clip repeats: "Jump_Idle", "Gallop_Jump".
std::string leap_word(const std::vector<std::string>& words);

/// The word of a name that means that the clip repeats, such as "walk"; empty if there is none.
std::string loop_word(const std::vector<std::string>& words);

/// Whether, by the clip's name, the character swims, flies, hovers or floats: its lowest point is then no foot.
bool names_off_ground(const std::vector<std::string>& words);

bool names_idle(const std::vector<std::string>& words);

/// How ordinary a way of moving the name stands for: 1 for a walk, larger for others, 0 for none. Backwards, sideways,
/// with a load, and everything that happens once is none.
int locomotion_rank(const std::vector<std::string>& words);

/// Pace of the legs for a way of moving: f sqrt(l / g) 2 pi, with f strides a second on legs of length l. 0 where the
/// name speaks of none, or of one without strides (swimming, flying, crawling).
double stride_pace(const std::vector<std::string>& words);

}  // namespace rigspace
