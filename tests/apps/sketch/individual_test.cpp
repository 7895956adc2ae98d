// Creatures from drawn parts (Thesis 5.3.2).

#include "rigspace/apps/sketch/creature_file.h"

#include <gtest/gtest.h>

#include "rigspace/base/error.h"
#include "rigspace/geometry/view_plane.h"

#include <algorithm>
#include <map>

namespace rigspace::individual_test {
namespace {

const std::vector<CreaturePart>& database() {
  static const std::vector<CreaturePart> made = dragon_database();
  return made;
}

const PartClassifier& classifier() {
  static const PartClassifier trained = [] {
    std::vector<DrawnPart> parts;
    for (const CreaturePart& part : database()) parts.push_back(part.drawn);
    return train_part_classifier(parts, {.drawings = 150});
  }();
  return trained;
}

const CreaturePart& part(const std::string& name) {
  return *std::find_if(database().begin(), database().end(), [&](const auto& each) { return each.name == name; });
}

/// From the left, orthographic.
Camera from_left() { return {.eye = Vec3(6, 1, 0), .target = Vec3(0, 1, 0), .height = 4.4}; }

/// A part as it is drawn with these controls moved from rest.
std::vector<Stroke> drawn(const std::string& name, const std::map<std::string, double>& moves) {
  const CreaturePart& of = part(name);
  Vec p = of.character.rig->rest(), z;
  for (const auto& [control, by] : moves) {
    EXPECT_GE(of.character.rig->find(control), 0) << control;
    p[of.character.rig->find(control)] += by;
  }
  of.drawn.rig->evaluate(*of.drawn.rig->make_workspace(), p, z);
  const ViewPlane view(from_left());
  std::vector<Stroke> strokes;
  for (const DrawnPart::Curve& curve : of.drawn.curves) {
    Stroke stroke;
    stroke.closed = curve.closed;
    for (int k = 0; k < curve.point_count; ++k) stroke.points.push_back(view.project(point(z, curve.first_point + k)));
    strokes.push_back(std::move(stroke));
  }
  return strokes;
}

TEST(Creature, FitsPlacePoseAndShapeTogether) {
  Creature creature(database(), classifier(), from_left());
  creature.add(drawn(
      "tail",
      {{"tail.ty", 0.3}, {"tail.size", 0.1}, {"tail_02.rx", 0.4}, {"tail_04.rx", -0.5}, {"tail_05.length", 0.3}}));
  const FittedPart& tail = creature.parts().front();
  EXPECT_EQ(database()[tail.part].name, "tail");
  EXPECT_GT(tail.probability, 0.5);
  EXPECT_LT(tail.report.residual, 0.012);  // of its size
  EXPECT_EQ(tail.report.unreached(), 0);
  const Rig& rig = *database()[tail.part].character.rig;
  for (int c = 0; c < tail.p.size(); ++c) {
    EXPECT_GE(tail.p[c], rig.controls()[c].min - 1e-9) << rig.controls()[c].name;
    EXPECT_LE(tail.p[c], rig.controls()[c].max + 1e-9) << rig.controls()[c].name;
  }
}

TEST(Creature, AttachesPartsToTheTorsoAlsoIfItComesLast) {
  Creature creature(database(), classifier(), from_left());
  creature.add(drawn("head", {{"head.ty", 0.05}}), "head");
  creature.add(drawn("head", {{"head.ty", 0.05}, {"neck_01.rx", -0.4}}), "head");
  EXPECT_EQ(creature.parts()[0].carrier, -1);
  const int torso = creature.add(drawn("torso", {{"torso.size", 0.1}}), "torso");
  for (const int head : {0, 1}) EXPECT_EQ(creature.parts()[head].carrier, torso);
  creature.remove(torso);
  for (const int head : {0, 1}) EXPECT_EQ(creature.parts()[head].carrier, -1);
}

TEST(Creature, RedrawsAndReplacesAPart) {
  Creature creature(database(), classifier(), from_left());
  creature.add(drawn("torso", {}), "torso");
  const int limb = creature.add(drawn("front_legs", {}), "front_legs");
  creature.redraw(limb, drawn("hind_legs", {{"hind_legs.ty", 0.02}}), "hind_legs");
  ASSERT_EQ(creature.parts().size(), 2u);
  EXPECT_EQ(database()[creature.parts()[limb].part].name, "hind_legs");
  EXPECT_EQ(creature.parts()[limb].carrier, 0);
  const std::vector<Stroke> nothing{Stroke{}};
  EXPECT_THROW(creature.redraw(limb, nothing), Error);
  EXPECT_EQ(database()[creature.parts()[limb].part].name, "hind_legs");
}

TEST(Creature, IsOneCharacterThatLives) {
  Creature creature(database(), classifier(), from_left());
  creature.add(drawn("torso", {}), "torso");
  creature.add(drawn("tail", {{"tail_02.rx", 0.3}}), "tail");
  const Character whole = creature.character("pet");
  EXPECT_EQ(whole.rig->point_count(),
            part("torso").character.rig->point_count() + part("tail").character.rig->point_count());
  const Animation& alive = whole.clips.front();
  EXPECT_TRUE(Sampler(alive, whole.rig->controls()).unbound().empty());
  const auto workspace = whole.rig->make_workspace();
  Vec rest, first, middle, last;
  whole.rig->evaluate(*workspace, whole.rig->rest(), rest);
  whole.rig->evaluate(*workspace, pose_at(whole, &alive, 0), first);
  whole.rig->evaluate(*workspace, pose_at(whole, &alive, 0.9), middle);
  whole.rig->evaluate(*workspace, pose_at(whole, &alive, alive.duration), last);
  EXPECT_LT((first - last).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_GT((middle - first).cwiseAbs().maxCoeff(), 0.05);
  // At rest it is as it was fitted: the tail as the part by itself is.
  Vec tail;
  const Rig& own = *part("tail").character.rig;
  own.evaluate(*own.make_workspace(), creature.parts()[1].p, tail);
  EXPECT_LT((rest.tail(tail.size()) - tail).cwiseAbs().maxCoeff(), 1e-9);
}

/// A torso with a head and a tail, drawn a little off their rest.
Creature small_dragon() {
  Creature creature(database(), classifier(), from_left());
  creature.add(drawn("torso", {{"torso.size", 0.1}}), "torso");
  creature.add(drawn("head", {{"head.ty", 0.05}, {"neck_01.rx", -0.3}}), "head");
  creature.add(drawn("tail", {{"tail_02.rx", 0.3}}), "tail");
  return creature;
}

TEST(Creature, PlainJointsPlayNearlyWhatTheCreatureDoes) {
  const Creature creature = small_dragon();
  const Character whole = creature.character("whole"), plain = creature.plain("plain");
  ASSERT_EQ(whole.rig->point_count(), plain.rig->point_count());
  ASSERT_EQ(plain.clips.front().name, "Alive");
  EXPECT_EQ(plain.clips.front().duration, whole.clips.front().duration);
  Vec a, b, rest;
  whole.rig->evaluate(*whole.rig->make_workspace(), whole.rig->rest(), rest);
  const double size = bounding_box(rest).diagonal();
  for (const double time : {0.0, 0.4, 1.3}) {
    whole.rig->evaluate(*whole.rig->make_workspace(), pose_at(whole, &whole.clips.front(), time), a);
    plain.rig->evaluate(*plain.rig->make_workspace(), pose_at(plain, &plain.clips.front(), time), b);
    // Nodes of joints cannot shear: 0.1 % of the size at most.
    EXPECT_LT((a - b).lpNorm<Eigen::Infinity>(), 1.5e-3 * size) << time;
    if (time > 0) {
      EXPECT_GT((a - rest).lpNorm<Eigen::Infinity>(), 2e-2 * size) << time;
    }
  }
  plain.rig->evaluate(*plain.rig->make_workspace(), plain.rig->rest(), b);
  EXPECT_LT((rest - b).lpNorm<Eigen::Infinity>(), 1.5e-3 * size);  // 0.1 %
}

TEST(Creature, RepeatsAPartElsewhere) {
  Creature creature = small_dragon();
  const int again = creature.repeat(1, Vec2(0.0, 0.1));
  ASSERT_EQ(again, 3);
  const FittedPart &first = creature.parts()[1], &second = creature.parts()[3];
  EXPECT_EQ(second.part, first.part);
  EXPECT_EQ(second.carrier, 0);
  const Rig& rig = *database()[first.part].character.rig;
  for (int c = 0; c < first.p.size(); ++c)
    if (rig.controls()[c].group != "place") {
      EXPECT_EQ(first.p[c], second.p[c]) << rig.controls()[c].name;
    }
  EXPECT_GT((first.p - second.p).norm(), 0.02);
}

TEST(CreatureFile, ComesBackAsItWas) {
  const Creature creature = small_dragon();
  const std::string text = to_creature_json(creature);
  Creature again(database(), classifier(), creature_camera(text, "x"));
  read_creature(text, "x", again);
  ASSERT_EQ(again.parts().size(), creature.parts().size());
  for (std::size_t k = 0; k < creature.parts().size(); ++k) {
    EXPECT_LT((again.parts()[k].p - creature.parts()[k].p).lpNorm<Eigen::Infinity>(), 1e-12);
    EXPECT_EQ(again.parts()[k].carrier, creature.parts()[k].carrier);
    EXPECT_EQ(again.parts()[k].carrier_bone, creature.parts()[k].carrier_bone);
  }
  EXPECT_EQ(to_creature_json(again), text);
}

TEST(CreatureFile, RefusesWhatIsNoneAndLeavesTheCreatureAlone) {
  Creature creature = small_dragon();
  const std::string text = to_creature_json(creature);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    return changed.replace(changed.find(from), from.size(), to);
  };
  for (const std::string& bad :
       {std::string("{"), std::string("[]"), std::string("{}"), with("\"creature\"", "\"rig\""),
        with("\"version\": 1", "\"version\": 2"), with("\"torso\"", "\"trunk\""), with("\"part\": 0", "\"part\": 1")}) {
    EXPECT_THROW(read_creature(bad, "bad.json", creature), Error) << bad.substr(0, 60);
    EXPECT_EQ(to_creature_json(creature), text);
  }
}

TEST(DrawnGroups, ArePartsInTheOrderInWhichTheyBegin) {
  std::vector<Stroke> strokes(4);
  strokes[0].part = strokes[2].part = "head 2", strokes[1].part = "x";
  const std::vector<DrawnGroup> groups = drawn_groups(strokes);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].strokes.size(), 2u);
  EXPECT_EQ(kind_in_name(database(), groups[0].name), "head");
  EXPECT_EQ(kind_in_name(database(), groups[1].name), "");
}

}  // namespace
}  // namespace rigspace::individual_test
